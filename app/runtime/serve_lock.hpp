// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "domain/model/result.hpp"

namespace kbase::runtime {

/// Lock on a folder that only one server at a time may use: flock(2) on its `serve.lock`. The operating system releases
/// it when the process ends, even after a crash.
class ServeLock {
 public:
  /// Locks `folder`. Errors: Conflict if another server holds the lock; Unavailable if the file cannot be opened. The
  /// messages name the configuration key `setting`.
  static model::Result<ServeLock> take(const std::filesystem::path& folder, std::string_view setting);

  /// Returns true if a server holds the lock at this moment.
  static bool is_taken(const std::filesystem::path& folder);

  ServeLock(ServeLock&& other) noexcept;
  ServeLock& operator=(ServeLock&&) = delete;
  ~ServeLock();

 private:
  explicit ServeLock(int file) : file_(file) {}
  int file_;
};

}  // namespace kbase::runtime
