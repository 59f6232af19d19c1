// SPDX-License-Identifier: Apache-2.0
// Files that an earlier version wrote.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

#include "adapters/sqlite/state_database.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using std::chrono::days;

/// A state.db of version 1 with a key and some views, in the format of sqlite3's .dump.
constexpr char kStateOfVersion1[] = R"sql(
PRAGMA application_id = 1801606004;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
BEGIN TRANSACTION;
CREATE TABLE days (
  day INTEGER PRIMARY KEY,
  views INTEGER NOT NULL
);
INSERT INTO days VALUES(20779,3);
CREATE TABLE item_days (
  item INTEGER NOT NULL,
  day INTEGER NOT NULL,
  views INTEGER NOT NULL,
  PRIMARY KEY (item, day)
) WITHOUT ROWID;
INSERT INTO item_days VALUES(1,20779,3);
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
INSERT INTO "keys" VALUES('key_nnaf7oah6iuf','Search page','developer',
  X'EAB8DE783CFEDE1694FA8B88B79F8011E30D41F18E1BF827F4DDE121A0FD840D',NULL,0,NULL,7,1795359552625,0);
CREATE TABLE state (
  views_revision INTEGER NOT NULL,
  keys_revision INTEGER NOT NULL
);
INSERT INTO state VALUES(1,1);
CREATE TABLE viewed (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  views INTEGER NOT NULL,
  revision INTEGER NOT NULL        -- the views_revision of the last change
);
INSERT INTO viewed VALUES(1,'earth',3,1);
CREATE INDEX viewed_by_revision ON viewed (revision);
CREATE INDEX item_days_by_day ON item_days (day, item, views);
CREATE INDEX keys_by_previous_digest ON keys (previous_digest) WHERE previous_digest IS NOT NULL;
COMMIT;
)sql";

class SqliteMigration : public testing::Test {
 protected:
  void SetUp() override {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, kStateOfVersion1, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "state.db";
  conformance::ManualClock clock_;
  ports::Call call_;
};

TEST_F(SqliteMigration, KeepsTheKeysAndViewsOfVersion1AndThenCountsUsage) {
  for (const std::uint64_t before : {0u, 5u}) {  // the second time, the file already has the newest version
    const auto state = sqlite::StateDatabase::open({.path = file_}, clock_);
    ASSERT_TRUE(succeeded(state));
    EXPECT_FALSE((*state)->created());
    ports::ApiKeyStore& keys = (*state)->api_keys();
    const auto key = keys.get(call_, "key_nnaf7oah6iuf");
    ASSERT_TRUE(succeeded(key));
    ASSERT_TRUE(key->has_value());
    EXPECT_EQ((*key)->name, "Search page");
    EXPECT_EQ((*state)->activity().revision(call_).value(), 1u);

    const model::Day day{days(20'779)};
    const ports::KeyUsage usage[] = {{"key_nnaf7oah6iuf", day, 5}};
    ASSERT_TRUE(succeeded(keys.add_usage(call_, usage)));
    std::uint64_t requests = 0;
    ASSERT_TRUE(succeeded(keys.usage(call_, day, day, [&requests](const ports::KeyUsage& row) {
      requests += row.requests;
      return Visit::Continue;
    })));
    EXPECT_EQ(requests, before + 5);
  }
}

}  // namespace
}  // namespace kbase::tests
