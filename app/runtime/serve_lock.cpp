// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/serve_lock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace kbase::runtime {
namespace {

/// Retries, because a concurrent is_taken() holds the lock for a moment.
constexpr int kTries = 5;
constexpr int kPause = 10;  // milliseconds

model::Error not_opened(const std::filesystem::path& path, std::string_view setting, int reason) {
  const bool is_forbidden = reason == EACCES || reason == EROFS;
  std::string message = "cannot open " + path.string() + ": " + std::strerror(reason) + "; ";
  if (is_forbidden)
    message += "give the user that runs kbase the right to read and write " + path.parent_path().string() +
               " and what lies in it, or ";
  message += "set " + std::string(setting) + " to another folder";
  return {model::ErrorCode::Unavailable, std::move(message), {}, {}, {}};
}

bool try_lock(int file, int how) {
  return ::flock(file, how | LOCK_NB) == 0;
}

}  // namespace

model::Result<ServeLock> ServeLock::take(const std::filesystem::path& folder, std::string_view setting) {
  const std::filesystem::path path = folder / "serve.lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (file < 0) return not_opened(path, setting, errno);
  ServeLock lock(file);
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries > 0) ::poll(nullptr, 0, kPause);
    if (try_lock(file, LOCK_EX)) return lock;
  }
  return model::Error{model::ErrorCode::Conflict,
                      "another kbase server is running on " + folder.string() + "; stop it, or give this one a " +
                          std::string(setting) + " of its own",
                      {},
                      {},
                      {}};
}

bool ServeLock::is_taken(const std::filesystem::path& folder) {
  // Does not create the file: the caller may be another user than the server's, for example root.
  const ServeLock lock(::open((folder / "serve.lock").c_str(), O_RDONLY | O_CLOEXEC));
  return lock.file_ >= 0 && !try_lock(lock.file_, LOCK_SH);
}

ServeLock::ServeLock(ServeLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

ServeLock::~ServeLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace kbase::runtime
