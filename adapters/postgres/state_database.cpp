// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/state_database.hpp"

#include "adapters/postgres/database.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres {

Result<std::unique_ptr<StateDatabase>> StateDatabase::open(const Options& options, const ports::Clock& clock,
                                                           ports::Random& random) {
  auto database = KBASE_TRY(Database::open(options, clock, random));
  return std::unique_ptr<StateDatabase>(new StateDatabase(std::move(database)));
}

StateDatabase::StateDatabase(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      activity_(make_activity_store(*database_)),
      api_keys_(make_api_key_store(*database_)) {}

StateDatabase::~StateDatabase() = default;

}  // namespace kbase::postgres
