// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/native_index/files/files.hpp"

namespace kbase::tests {

/// What befalls the operation that a FaultyFiles is told of.
enum class Fault {
  Fails,  ///< it does nothing and says so; those after it work
  Tears,  ///< an append leaves half of its bytes, anything else happens; it says that it failed; those after it work
  Kills,  ///< it does nothing, or half where it appends, and neither does any after it: the process is gone
};

/// What a restart after a kill finds.
enum class Surviving {
  Everything,  ///< the process was killed; the operating system still writes what it was given
  OnlySynced,  ///< the power went: what was not synced, bytes and names, is gone
  ByChance,    ///< the power went: of each of those something got through, in whatever order
};

class FaultyDisk;

/// A disk in memory as POSIX promises one and no better, for tests that break every operation in turn: bytes are safe
/// after sync() of their file, names after sync_folder() of their folder. Counts operations from 1. Any thread.
class FaultyFiles final : public native_index::Files {
 public:
  FaultyFiles();
  ~FaultyFiles() override;

  /// Lets the nth operation from now on meet this fault.
  void break_operation(std::uint64_t nth, Fault fault);

  /// Whether that operation has come; false: there were fewer.
  bool has_broken() const;

  /// Operations so far.
  std::uint64_t operations() const;

  /// Names in the order they were done: "create a/b", "append a/b".
  std::vector<std::string> log() const;

  /// The next process: whatever was planned is forgotten, and locks are free. What the old one holds is of no use any
  /// more, but may be destroyed later.
  void restart(Surviving surviving, std::uint64_t seed = 0);

  /// Flips a bit of a file, behind everybody's back. Mappings made before keep the old bytes.
  void flip_bit(const std::filesystem::path& path, std::uint64_t bit);

  std::string content(const std::filesystem::path& path) const;

  model::Result<std::unique_ptr<native_index::NewFile>> create(const std::filesystem::path& path) override;
  model::Result<std::shared_ptr<const native_index::MappedFile>> map(const std::filesystem::path& path) override;
  std::optional<native_index::FileStamp> stamp(const std::filesystem::path& path) override;  ///< meets no fault
  model::Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  model::Status remove(const std::filesystem::path& path) override;
  model::Result<std::vector<std::string>> list(const std::filesystem::path& folder) override;
  model::Status make_folder(const std::filesystem::path& folder) override;
  model::Status sync_folder(const std::filesystem::path& folder) override;
  model::Result<std::unique_ptr<native_index::FileLock>> lock(const std::filesystem::path& path) override;

 private:
  std::shared_ptr<FaultyDisk> disk_;  // shared with open files, which may outlive this
};

}  // namespace kbase::tests
