// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>

#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::sqlite {

class Database;

/// The leases of a store, in a file of their own beside it: an import holds the store's writer for as long as it takes,
/// which a renewal must not wait for. The file is made with the first lease, as most stores never give any. Time is the
/// machine's wall clock, which all processes of it share.
///
/// Thread-safety: any thread. Errors: as ItemStore.
class LeaseFile {
 public:
  /// Opens nothing yet. `clock` outlives it.
  LeaseFile(std::filesystem::path path, const ports::Clock& clock);
  ~LeaseFile();

  /// ItemStore::try_lease.
  model::Result<bool> try_lease(const ports::Call& call, std::string_view name, std::string_view owner,
                                std::chrono::milliseconds ttl);

 private:
  model::Result<Database*> database();

  const std::filesystem::path path_;
  const ports::Clock& clock_;
  std::mutex mutex_;  // of the opening
  std::unique_ptr<Database> database_;
};

}  // namespace kbase::sqlite
