// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adapters/postgres/options.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/random.hpp"

namespace kbase::postgres {

class Database;

/// What servers keep beside the content, in the same schema: the counted views and the keys.
///
/// Thread-safety: any thread. It outlives the stores it lends.
class StateDatabase {
 public:
  /// `clock` outlives the database; `random` is not kept. Errors as PostgresItemStore::open.
  static model::Result<std::unique_ptr<StateDatabase>> open(const Options& options, const ports::Clock& clock,
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

}  // namespace kbase::postgres
