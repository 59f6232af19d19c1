// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "domain/model/result.hpp"

namespace kbase::fts5 {

/// Which version of a file one sees.
struct Stamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const Stamp&) const = default;
};

/// Held by the one writer over all processes; let go with the object.
class WriterLock {
 public:
  explicit WriterLock(int descriptor) : descriptor_(descriptor) {}
  WriterLock(WriterLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();

 private:
  int descriptor_;
};

/// The folder of an index: databases `index-N.db`, of which the file `CURRENT` names the one that answers, and `lock`.
/// A rebuild fills the next database and renames a new CURRENT over the old one: never does a file get another's
/// write-ahead log. Any thread, any process.
class IndexFolder {
 public:
  explicit IndexFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }

  /// Changes when another database becomes current; nullopt: there is none.
  std::optional<Stamp> stamp() const;

  /// nullopt: there is none.
  std::optional<std::filesystem::path> current() const;

  /// Conflict: another writer holds it. Makes the folder.
  model::Result<WriterLock> lock() const;

  // With the lock held:

  /// Where the next database goes; removes what broken rebuilds left.
  std::filesystem::path next() const;

  /// Makes the database, which was written out and closed, current, durably, and removes the others.
  model::Status publish(const std::filesystem::path& database) const;

 private:
  void remove_all_but(const std::optional<std::filesystem::path>& kept) const;

  std::filesystem::path path_;
};

}  // namespace kbase::fts5
