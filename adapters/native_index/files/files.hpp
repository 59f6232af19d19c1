// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/result.hpp"

namespace kbase::native_index {

/// A new file while it is written from its start to its end; closed with the object. One thread.
class NewFile {
 public:
  virtual ~NewFile() = default;

  virtual model::Status append(std::string_view bytes) = 0;

  /// Returns when all that was appended is on the disk; the file's name is there with its folder (Files::sync_folder).
  virtual model::Status sync() = 0;
};

/// A file's bytes in memory for as long as the object lives, even where the file was removed or replaced meanwhile.
/// They begin at a multiple of 64. Whoever shortens a mapped file kills its readers with SIGBUS, so files of an index
/// are never written again once they are whole. Any thread.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual std::span<const std::byte> bytes() const noexcept = 0;
};

/// Held by one owner over all processes; let go with the object or the process.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

/// Tells a file from any other that had or gets its name.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t changed_ns = 0;  ///< when its content or its names last changed

  bool operator==(const FileStamp&) const = default;
};

/// The few file operations an index is made with, behind an interface so that tests can let the nth of them fail, be
/// torn in the middle or be the last before a kill. Any thread.
///
/// Errors: Unavailable, with what was done to which file in `detail`; a full disk says so in `message`. After a failed
/// append or sync nobody knows what the file holds: it is removed, never written on.
class Files {
 public:
  virtual ~Files() = default;

  /// An empty file of this name, in place of what had it.
  virtual model::Result<std::unique_ptr<NewFile>> create(const std::filesystem::path& path) = 0;

  /// NotFound: there is no such file. An empty file is no bytes.
  virtual model::Result<std::shared_ptr<const MappedFile>> map(const std::filesystem::path& path) = 0;

  /// Nothing: there is no such file.
  virtual std::optional<FileStamp> stamp(const std::filesystem::path& path) = 0;

  /// In one step, over what has the name `to`; on the disk after sync_folder.
  virtual model::Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;

  /// A file that is not there is no error.
  virtual model::Status remove(const std::filesystem::path& path) = 0;

  /// The names of the folder's files, without folders, sorted.
  virtual model::Result<std::vector<std::string>> list(const std::filesystem::path& folder) = 0;

  /// Makes the folder and those above it; one that is there is no error.
  virtual model::Status make_folder(const std::filesystem::path& folder) = 0;

  /// Returns when the names that were given to and taken from files of the folder are on the disk.
  virtual model::Status sync_folder(const std::filesystem::path& folder) = 0;

  /// Conflict: another object has the lock, in this process or another. Makes the file, which is never removed.
  virtual model::Result<std::unique_ptr<FileLock>> lock(const std::filesystem::path& path) = 0;
};

/// Gives `path` this content in one step: whoever opens it, even after a crash, finds the old file or the new one.
model::Status replace_file(Files& files, const std::filesystem::path& path, std::string_view content);

/// Corrupt, as every reader of an index says it; `detail` names the file or the part.
model::Error damaged(std::string detail);

/// Cancelled, as whatever asked whether to stop says it.
model::Error cancelled();

}  // namespace kbase::native_index
