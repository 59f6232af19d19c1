// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "domain/model/result.hpp"

namespace kbase::sqlite {

/// Exclusive lock of a folder across threads and processes (flock(2)). Released with the object or at process exit.
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
