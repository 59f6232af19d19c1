// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/base/result.hpp"

namespace jsonl {

using kbase::Error;
using kbase::ErrorCode;
using kbase::Result;
using kbase::Status;

/// The right to replace a file, which one batch at a time has, among all processes. Released with the object, and when
/// the process ends.
class FileLock {
 public:
  /// Locks `path`.lock; nullopt: another batch has the lock. Unavailable: the folder cannot be written.
  static Result<std::optional<FileLock>> try_acquire(const std::filesystem::path& path);

  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// Identifies a state of a file: each replace_file() makes another one.
struct FileVersion {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;

  bool operator==(const FileVersion&) const = default;
};

/// Returns the version of the file with this name. Unavailable: the file does not exist.
Result<FileVersion> version_of(const std::filesystem::path& path);

/// Returns the content of a file; nullopt: no file has this name.
Result<std::optional<std::string>> read_file(const std::filesystem::path& path);

/// Replaces the file by one with this content. After a crash it has the old content or the new one. A file that it
/// creates is accessible only by its owner. On an error, for example a full disk, the old file stays.
Status replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace jsonl
