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

/// Files as the log needs them. Errors: Unavailable, with a sentence for the operator that names the file.
namespace jsonl {

namespace model = kbase::model;

/// What an operating system's call failed with, errno, while `doing` ("write") something to `path`.
model::Error system_error(std::string_view doing, const std::filesystem::path& path);

/// An open file; closes it. Empty where it was moved from.
class File {
 public:
  /// How a file looks from outside: two that differ are two files, or one that was written between.
  struct Look {
    dev_t device = 0;
    ino_t inode = 0;
    std::uint64_t size = 0;
    std::chrono::nanoseconds changed{0};

    bool operator==(const Look&) const = default;
    bool is_same_file(const Look& other) const { return device == other.device && inode == other.inode; }
  };

  /// `flags` as open(2) takes them; what is made is readable by its owner alone.
  static model::Result<File> open(const std::filesystem::path& path, int flags);

  /// Of the file that has this name now; nullopt: there is none.
  static model::Result<std::optional<Look>> look_at(const std::filesystem::path& path);

  File(File&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File();

  model::Result<Look> look() const;
  model::Result<std::string> read(std::uint64_t from, std::uint64_t to) const;
  model::Status write(std::uint64_t at, std::string_view bytes) const;
  model::Status truncate(std::uint64_t size) const;

  /// Returns when all that was written is on the disk.
  model::Status sync() const;

  /// Takes flock(2)'s exclusive lock if nobody has it; it is given back when the file is closed.
  bool try_lock() const;

 private:
  File(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_;
};

/// Gives `path` this content in one step: whoever opens it, even after a crash, finds the old file or the new one.
model::Status replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace jsonl
