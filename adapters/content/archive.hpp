// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase::content {

/// Whether a file with this name is an archive: .zip, .tar, .tar.gz and the like.
bool is_archive_name(std::string_view name);

/// Returns the name of an archive without its endings.
std::string_view archive_stem(std::string_view name);

/// The files of an archive in a temporary folder, which is removed with the object.
class UnpackedArchive {
 public:
  /// Unpacks files and folders; other entries are left out. InvalidArgument: the archive is damaged, encrypted or not
  /// an archive, an entry leads out of it, or its files exceed 100,000 or 4 GiB. Unavailable: they cannot be written.
  static Result<std::unique_ptr<UnpackedArchive>> unpack(const std::string& name);

  ~UnpackedArchive();
  UnpackedArchive(const UnpackedArchive&) = delete;
  UnpackedArchive& operator=(const UnpackedArchive&) = delete;

  /// The folder with the content: the only folder at the top of the archive, if nothing is next to it.
  const std::filesystem::path& root() const { return root_; }

 private:
  explicit UnpackedArchive(std::filesystem::path folder) : folder_(std::move(folder)), root_(folder_) {}

  const std::filesystem::path folder_;
  std::filesystem::path root_;
};

}  // namespace kbase::content
