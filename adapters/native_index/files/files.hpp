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

#include "domain/base/result.hpp"

namespace kbase::native_index {

/// A new file, written from start to end. Closed by the destructor. Not thread-safe.
class NewFile {
 public:
  virtual ~NewFile() = default;

  virtual Status append(std::string_view bytes) = 0;

  /// Returns when all appended bytes are on disk. The file's name is durable only after Files::sync_folder().
  virtual Status sync() = 0;
};

/// Bytes of a file, mapped for the lifetime of the object even if the file is removed or replaced. They begin at a
/// multiple of 64. Truncating a mapped file kills its readers with SIGBUS, so index files are never modified once
/// complete. Thread-safe.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual std::span<const std::byte> bytes() const noexcept = 0;

  /// Takes the pages of a part of the bytes out of the memory of the process, which reads them again, usually from the
  /// page cache, when they are next used.
  virtual void release(std::span<const std::byte> part) const noexcept = 0;
};

/// Exclusive lock across all processes. Released by the destructor or when the process ends.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

/// Distinguishes a file from earlier and later files of the same name.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t changed_ns = 0;  ///< last change of content or names, ns since 1970-01-01

  bool operator==(const FileStamp&) const = default;
};

/// File operations of an index. An interface, so that tests can fail the nth operation, tear a write, or stop as if the
/// process was killed. Thread-safe.
///
/// Errors: Unavailable; `detail` names the operation and the file, and `message` reports a full disk. After a failed
/// append() or sync() the content of the file is undefined: remove it, do not continue writing it.
class Files {
 public:
  virtual ~Files() = default;

  /// Creates an empty file, replacing any file of this name.
  virtual Result<std::unique_ptr<NewFile>> create(const std::filesystem::path& path) = 0;

  /// Maps a file; an empty file has no bytes. Errors: NotFound.
  virtual Result<std::shared_ptr<const MappedFile>> map(const std::filesystem::path& path) = 0;

  /// Returns nullopt if the file does not exist.
  virtual std::optional<FileStamp> stamp(const std::filesystem::path& path) = 0;

  /// Renames atomically, replacing any file named `to`. Durable after sync_folder().
  virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;

  /// Removes a file. Succeeds if it does not exist.
  virtual Status remove(const std::filesystem::path& path) = 0;

  /// Returns the sorted names of the files in the folder, without subfolders.
  virtual Result<std::vector<std::string>> list(const std::filesystem::path& folder) = 0;

  /// Creates the folder and its parents. Succeeds if it exists.
  virtual Status create_folder(const std::filesystem::path& folder) = 0;

  /// Returns when all created, renamed and removed names in the folder are on disk.
  virtual Status sync_folder(const std::filesystem::path& folder) = 0;

  /// Creates the lock file if needed; it is never removed. Errors: Conflict if another object in any process holds the
  /// lock.
  virtual Result<std::unique_ptr<FileLock>> lock(const std::filesystem::path& path) = 0;
};

/// Replaces the content of `path` atomically: a reader finds the old file or the new one, even after a crash.
Status replace_file(Files& files, const std::filesystem::path& path, std::string_view content);

/// Returns the Corrupt error of the index. `detail` names the file or part.
Error corrupt_error(std::string detail);

/// Returns the Cancelled error for work that a `stop` callback ended.
Error cancelled_error();

/// Files of the operating system. Locks use flock(2), so the folder must be on a local disk.
class PosixFiles final : public Files {
 public:
  Result<std::unique_ptr<NewFile>> create(const std::filesystem::path& path) override;
  Result<std::shared_ptr<const MappedFile>> map(const std::filesystem::path& path) override;
  std::optional<FileStamp> stamp(const std::filesystem::path& path) override;
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Status remove(const std::filesystem::path& path) override;
  Result<std::vector<std::string>> list(const std::filesystem::path& folder) override;
  Status create_folder(const std::filesystem::path& folder) override;
  Status sync_folder(const std::filesystem::path& folder) override;
  Result<std::unique_ptr<FileLock>> lock(const std::filesystem::path& path) override;
};

}  // namespace kbase::native_index
