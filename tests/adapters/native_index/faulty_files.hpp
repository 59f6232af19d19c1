// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/native_index/files/files.hpp"

namespace kbase::tests {

/// A fault of one operation.
enum class Fault {
  Fails,  ///< the operation has no effect and returns an error; later operations work
  Tears,  ///< an append writes half of its bytes, other operations succeed; all return an error; later operations work
  Kills,  ///< an append writes half of its bytes, others do nothing; later operations fail: the process is gone
};

/// The data that a restart after Fault::Kills finds.
enum class Surviving {
  Everything,   ///< all written data: the process was killed, but not the operating system
  SyncedOnly,   ///< synced data only: power failure; bytes and names that were not synced are lost
  RandomParts,  ///< random parts of the unsynced data, in any order: power failure
};

class FaultyDisk;

/// An in-memory disk with only the guarantees of POSIX, for fault-injection tests: bytes are durable after sync() of
/// their file, names after sync_folder() of their folder. Counts operations from 1. Thread-safe.
class FaultyFiles final : public native_index::Files {
 public:
  FaultyFiles();
  ~FaultyFiles() override;

  /// Injects `fault` into the nth operation from now on.
  void inject_fault(std::uint64_t nth, Fault fault);

  /// Returns true if the fault was injected; false: there were fewer operations.
  bool was_fault_injected() const;

  /// Number of operations so far.
  std::uint64_t operations() const;

  /// Names of the operations, in order: "create a/b", "append a/b".
  std::vector<std::string> log() const;

  /// Starts a new process: clears the injected fault and releases all locks. Objects of the old process do not work any
  /// more, but may be destroyed later.
  void restart(Surviving surviving, std::uint64_t seed = 0);

  /// Flips a bit of a file without an operation. Existing mappings keep the old bytes.
  void flip_bit(const std::filesystem::path& path, std::uint64_t bit);

  std::string content(const std::filesystem::path& path) const;

  Result<std::unique_ptr<native_index::NewFile>> create(const std::filesystem::path& path) override;
  Result<std::shared_ptr<const native_index::MappedFile>> map(const std::filesystem::path& path) override;
  std::optional<native_index::FileStamp> stamp(const std::filesystem::path& path) override;  ///< has no faults
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Status remove(const std::filesystem::path& path) override;
  Result<std::vector<std::string>> list(const std::filesystem::path& folder) override;
  Status create_folder(const std::filesystem::path& folder) override;
  Status sync_folder(const std::filesystem::path& folder) override;
  Result<std::unique_ptr<native_index::FileLock>> lock(const std::filesystem::path& path) override;

 private:
  std::shared_ptr<FaultyDisk> disk_;  // shared with open files, which may outlive this object
};

}  // namespace kbase::tests
