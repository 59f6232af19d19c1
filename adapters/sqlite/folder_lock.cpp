// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kbase::sqlite {

model::Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  FolderLock lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (lock.descriptor_ >= 0) {
    if (::flock(lock.descriptor_, LOCK_EX) == 0) return {std::move(lock)};
    if (errno != EINTR) break;
  }
  return model::Error{model::ErrorCode::Unavailable,
                      "the folder " + folder.string() + " cannot be locked: " + std::strerror(errno),
                      {},
                      {},
                      {}};
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace kbase::sqlite
