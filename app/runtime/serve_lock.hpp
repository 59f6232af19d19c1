// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "domain/model/result.hpp"

namespace kbase::runtime {

/// Held by the one server of a folder (flock(2) on its `serve.lock`); gone with the process, however it ends.
class ServeLock {
 public:
  /// Conflict: another server has the folder, which `setting` names.
  static model::Result<ServeLock> take(const std::filesystem::path& folder, std::string_view setting);

  /// Whether a server has the folder at this moment.
  static bool is_taken(const std::filesystem::path& folder);

  ServeLock(ServeLock&& other) noexcept;
  ServeLock& operator=(ServeLock&&) = delete;
  ~ServeLock();

 private:
  explicit ServeLock(int file) : file_(file) {}
  int file_;
};

}  // namespace kbase::runtime
