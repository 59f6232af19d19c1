// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "domain/model/result.hpp"

namespace kbase::sqlite {

/// Keeps every other FolderLock of the same folder waiting, in this and other processes (flock(2)); gone with the
/// object or the process.
class FolderLock {
 public:
  static model::Result<FolderLock> take(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace kbase::sqlite
