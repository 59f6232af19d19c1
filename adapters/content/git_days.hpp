// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "domain/base/text.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/call.hpp"

namespace kbase::content {

/// The days of the last commits of the files of a folder, read once by `git log`. Not thread-safe.
class GitDays {
 public:
  explicit GitDays(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// nullopt: the folder is not a work tree of git, git is not installed, or the file was never committed. `path` is
  /// below the folder.
  std::optional<model::Day> last_commit(const std::string& path, const ports::Call& call);

 private:
  void read(const ports::Call& call);

  std::filesystem::path folder_;
  bool is_read_ = false;
  TextMap<model::Day> days_;
};

}  // namespace kbase::content
