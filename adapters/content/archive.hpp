// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::content {

/// Whether a file with this name is an archive: .zip, .tar, .tar.gz and the like.
bool is_archive_name(std::string_view name);

/// Returns the name of an archive without its endings.
std::string_view archive_stem(std::string_view name);

/// The files of an archive in a temporary folder, which is removed with the object.
class UnpackedArchive {
 public:
  /// Unpacks files and folders into a new folder in `parent`; other entries are left out. InvalidArgument: the archive
  /// is damaged, encrypted or not an archive, an entry leads out of it, it has more than 100,000 files, or unpacks to
  /// more than kMaxUnpackedBytes, counting what is left out. Unavailable: the files cannot be written. Cancelled: the
  /// call was.
  static Result<std::unique_ptr<UnpackedArchive>> unpack(const std::string& name, const std::filesystem::path& parent,
                                                         const ports::Call& call);

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
