// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adapters/postgres/options.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::postgres {

class Database;

/// Server state other than the content, in the same schema: view counts and API keys.
///
/// Thread-safety: any thread. Must outlive the references to its stores.
class StateDatabase {
 public:
  /// `clock` must outlive the database; `random` is not kept. Errors: see PostgresItemStore::open.
  static Result<std::unique_ptr<StateDatabase>> open(const Options& options, const ports::Clock& clock,
                                                     ports::Random& random);
  ~StateDatabase();

  ports::ActivityStore& activity() { return *activity_; }
  ports::ApiKeyStore& api_keys() { return *api_keys_; }

 private:
  explicit StateDatabase(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
  std::unique_ptr<ports::ActivityStore> activity_;
  std::unique_ptr<ports::ApiKeyStore> api_keys_;
};

/// Stores of a state database. `database` must outlive them.
std::unique_ptr<ports::ActivityStore> make_activity_store(Database& database);
std::unique_ptr<ports::ApiKeyStore> make_api_key_store(Database& database);

}  // namespace kbase::postgres
