// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "adapters/sqlite/database.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/account_store.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/insight_store.hpp"

namespace kbase::sqlite {

/// Server state other than the content, in one SQLite file on a local disk: view counts, accounts, API keys and
/// insights. Separate from content.db, so that counting a view never waits for an import. Any number of processes on
/// one machine can share it.
///
/// Thread-safety: any thread. Must outlive the references to its stores.
class StateDatabase {
 public:
  struct Options {
    /// Path of the file. A relative path is resolved against the working directory of the process. open() creates
    /// missing folders together with the file.
    std::filesystem::path path = "data/state.db";
    IfMissing if_missing = IfMissing::Create;
    /// Instance that owns the file; open() refuses a file of another instance. Empty: no check.
    std::string instance = {};
    /// Number of concurrent readers. Further calls wait up to five seconds for a free one.
    unsigned readers = 2;
    /// Page cache in bytes, divided among the readers and the writer, allocated on use.
    std::size_t cache_bytes = std::size_t{6} << 20;
  };

  /// `clock` must outlive the database. Errors: see SqliteItemStore::open.
  static Result<std::unique_ptr<StateDatabase>> open(const Options& options, const ports::Clock& clock);
  ~StateDatabase();

  /// Whether open() created the file.
  bool created() const;

  ports::ActivityStore& activity() { return *activity_; }
  ports::ApiKeyStore& api_keys() { return *api_keys_; }
  ports::AccountStore& accounts() { return *accounts_; }
  ports::InsightStore& insights() { return *insights_; }

 private:
  explicit StateDatabase(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
  std::unique_ptr<ports::ActivityStore> activity_;
  std::unique_ptr<ports::ApiKeyStore> api_keys_;
  std::unique_ptr<ports::AccountStore> accounts_;
  std::unique_ptr<ports::InsightStore> insights_;
};

/// Stores of a state database. Each needs the tables of StateDatabase; `database` must outlive it.
std::unique_ptr<ports::ActivityStore> make_activity_store(Database& database);
std::unique_ptr<ports::ApiKeyStore> make_api_key_store(Database& database);
std::unique_ptr<ports::AccountStore> make_account_store(Database& database);
std::unique_ptr<ports::InsightStore> make_insight_store(Database& database);

}  // namespace kbase::sqlite
