// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/native_index/files/files.hpp"

namespace kbase::native_index {

/// Files of the operating system. Locks use flock(2), so the folder must be on a local disk.
class PosixFiles final : public Files {
 public:
  model::Result<std::unique_ptr<NewFile>> create(const std::filesystem::path& path) override;
  model::Result<std::shared_ptr<const MappedFile>> map(const std::filesystem::path& path) override;
  std::optional<FileStamp> stamp(const std::filesystem::path& path) override;
  model::Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  model::Status remove(const std::filesystem::path& path) override;
  model::Result<std::vector<std::string>> list(const std::filesystem::path& folder) override;
  model::Status make_folder(const std::filesystem::path& folder) override;
  model::Status sync_folder(const std::filesystem::path& folder) override;
  model::Result<std::unique_ptr<FileLock>> lock(const std::filesystem::path& path) override;
};

}  // namespace kbase::native_index
