// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/state_database.hpp"

#include <array>

namespace kbase::sqlite {
namespace {

// Days are counted from 1970-01-01, instants are milliseconds since then. `viewed.views` and `days` are sums of
// `item_days`, updated with it. An item whose views were set to 0 stays in `viewed`, so that `totals` can report the
// change.
constexpr char kVersion1[] = R"sql(
CREATE TABLE state (
  views_revision INTEGER NOT NULL,
  keys_revision INTEGER NOT NULL
);
CREATE TABLE viewed (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  views INTEGER NOT NULL,
  revision INTEGER NOT NULL        -- the views_revision of the last change
);
CREATE INDEX viewed_by_revision ON viewed (revision);
CREATE TABLE item_days (
  item INTEGER NOT NULL,
  day INTEGER NOT NULL,
  views INTEGER NOT NULL,
  PRIMARY KEY (item, day)
) WITHOUT ROWID;
CREATE INDEX item_days_by_day ON item_days (day, item, views);
CREATE TABLE days (
  day INTEGER PRIMARY KEY,
  views INTEGER NOT NULL
);
CREATE TABLE journals (
  id BLOB PRIMARY KEY,
  sequence INTEGER NOT NULL,
  used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  previous_digest BLOB,
  previous_expires INTEGER NOT NULL,
  expires INTEGER,
  scopes INTEGER NOT NULL,
  created INTEGER NOT NULL,
  revoked INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX keys_by_previous_digest ON keys (previous_digest) WHERE previous_digest IS NOT NULL;
)sql";

// Requests by key and day. Includes keys that are in the configuration and not in `keys`.
constexpr char kVersion2[] = R"sql(
CREATE TABLE key_days (
  id TEXT NOT NULL,
  day INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (id, day)
) WITHOUT ROWID;
)sql";

constexpr std::array<const char*, 3> kMigrations = {kVersion1, kVersion2, kInstanceTable};

constexpr Schema kSchema = {
    "state database",
    0x6B625374,  // "kbSt"
    4096,
    kMigrations,
    {model::ErrorCode::Unavailable, "another process is writing"},
};

}  // namespace

model::Result<std::unique_ptr<StateDatabase>> StateDatabase::open(const Options& options, const ports::Clock& clock) {
  auto database = Database::open(
      {.path = options.path,
       .if_missing = options.if_missing,
       .readers = options.readers,
       .readers_cache_bytes = options.cache_bytes / 2,
       .writer_cache_bytes = options.cache_bytes / 2},
      kSchema, clock, [](Connection& connection) { return connection.execute("INSERT INTO state VALUES (0, 0)"); });
  if (!database) return database.error();
  if (auto claimed_instance = claim_instance(**database, options.instance, kSchema.noun); !claimed_instance)
    return claimed_instance.error();
  return std::unique_ptr<StateDatabase>(new StateDatabase(std::move(*database)));
}

StateDatabase::StateDatabase(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      activity_(make_activity_store(*database_)),
      api_keys_(make_api_key_store(*database_)) {}

StateDatabase::~StateDatabase() = default;

bool StateDatabase::created() const {
  return database_->created();
}

}  // namespace kbase::sqlite
