// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::runtime {

/// Lock on a folder that only one server at a time may use: flock(2) on its `serve.lock`. The operating system releases
/// it when the process ends, even after a crash.
class ServeLock {
 public:
  /// Locks `folder`. Errors: Conflict if another server holds the lock; Unavailable if the file cannot be opened. The
  /// messages name the configuration key `setting`.
  static Result<ServeLock> acquire(const std::filesystem::path& folder, std::string_view setting);

  /// Returns true if a server holds the lock at this moment.
  static bool is_locked(const std::filesystem::path& folder);

  ServeLock(ServeLock&& other) noexcept;
  ServeLock& operator=(ServeLock&&) = delete;
  ~ServeLock();

 private:
  explicit ServeLock(int file) : file_(file) {}
  int file_;
};

/// Returns the secret of the log's pseudonyms: 32 random bytes in a file that only its owner can read. Creates the file
/// if it is missing, so that pseudonyms stay the same after a restart. Requires the folder's ServeLock. Errors:
/// Unavailable if the file can be neither read nor created; Corrupt if its size is wrong.
Result<std::string> load_or_create_log_secret(const std::filesystem::path& file, ports::Random& random);

}  // namespace kbase::runtime
