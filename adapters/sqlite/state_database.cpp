// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/state_database.hpp"

#include "adapters/sqlite/state_sql.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

constexpr Schema kSchema = {
    "state database",
    0x6B625374,  // "kbSt"
    4096,
    kStateSql,
    {ErrorCode::Unavailable, "another process is writing"},
    /*erases=*/true,  // addresses of people
};

}  // namespace

Result<std::unique_ptr<StateDatabase>> StateDatabase::open(const Options& options, const ports::Clock& clock) {
  auto database = Database::open(
      {.path = options.path,
       .if_missing = options.if_missing,
       .readers = options.readers,
       .readers_cache_bytes = options.cache_bytes / 2,
       .writer_cache_bytes = options.cache_bytes / 2},
      kSchema, clock, [](Connection& connection) { return connection.execute("INSERT INTO state VALUES (0, 0)"); });
  if (!database) return database.error();
  KBASE_TRY(claim_instance(**database, options.instance, kSchema.noun));
  return std::unique_ptr<StateDatabase>(new StateDatabase(std::move(*database)));
}

StateDatabase::StateDatabase(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      activity_(make_activity_store(*database_)),
      api_keys_(make_api_key_store(*database_)),
      accounts_(make_account_store(*database_)),
      insights_(make_insight_store(*database_)) {}

StateDatabase::~StateDatabase() = default;

bool StateDatabase::created() const { return database_->created(); }

}  // namespace kbase::sqlite
