// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>

#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::sqlite {

class Database;

/// Leases of a store, in a separate file next to it: an import holds the store's writer until it ends, and a lease
/// renewal must not wait for it. The first lease creates the file, because most stores have no leases. Time is the wall
/// clock of the machine, which all its processes share.
///
/// Thread-safety: any thread. Errors: see ItemStore.
class LeaseFile {
 public:
  /// Does not open the file. `clock` must outlive the object.
  LeaseFile(std::filesystem::path path, const ports::Clock& clock);
  ~LeaseFile();

  /// Implements ItemStore::try_lease.
  Result<bool> try_lease(const ports::Call& call, std::string_view name, std::string_view owner,
                         std::chrono::milliseconds ttl);

 private:
  Result<Database*> database();

  const std::filesystem::path path_;
  const ports::Clock& clock_;
  std::mutex mutex_;  // guards the opening of `database_`
  std::unique_ptr<Database> database_;
};

}  // namespace kbase::sqlite
