// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/serve_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace kbase::runtime {

model::Result<ServeLock> ServeLock::take(const std::filesystem::path& folder, std::string_view setting) {
  const std::filesystem::path path = folder / "serve.lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (file < 0)
    return model::Error{
        model::ErrorCode::Unavailable, "cannot open " + path.string() + ": " + std::strerror(errno), {}, {}, {}};
  ServeLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
  return model::Error{model::ErrorCode::Conflict,
                      "another kbase server is running on " + folder.string() + "; stop it, or give this one a " +
                          std::string(setting) + " of its own",
                      {},
                      {},
                      {}};
}

ServeLock::ServeLock(ServeLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

ServeLock::~ServeLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace kbase::runtime
