// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/model/result.hpp"

/// File operations of the log. Errors: Unavailable; the message is for the operator and names the file.
namespace jsonl {

namespace model = kbase::model;

/// Returns the error for errno of a failed system call. `operation`: the operation on `path` ("write").
model::Error system_error(std::string_view operation, const std::filesystem::path& path);

/// An open file, closed by the destructor. Empty after a move.
class File {
 public:
  /// Metadata of a file: if it differs, the file was replaced or written in between.
  struct FileStat {
    dev_t device = 0;
    ino_t inode = 0;
    std::uint64_t size = 0;
    std::chrono::nanoseconds changed{0};

    bool operator==(const FileStat&) const = default;
    bool is_same_file(const FileStat& other) const { return device == other.device && inode == other.inode; }
  };

  /// `flags`: flags of open(2). A new file is accessible only by its owner.
  static model::Result<File> open(const std::filesystem::path& path, int flags);

  /// Returns the metadata of the file with this name; nullopt: no file has this name.
  static model::Result<std::optional<FileStat>> stat_path(const std::filesystem::path& path);

  File(File&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File();

  model::Result<FileStat> read_stat() const;
  model::Result<std::string> read(std::uint64_t from, std::uint64_t to) const;
  model::Status write(std::uint64_t at, std::string_view bytes) const;
  model::Status truncate(std::uint64_t size) const;

  /// Returns when all written data is on the disk.
  model::Status sync() const;

  /// Acquires the exclusive lock of flock(2) if it is free. Closing the file releases it.
  bool try_lock() const;

 private:
  File(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_;
};

/// Replaces the content of `path` atomically: even after a crash, a reader sees the old file or the new one.
model::Status replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace jsonl
