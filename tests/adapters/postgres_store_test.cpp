// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "adapters/postgres/connector.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/schema.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/postgres_fixture.hpp"
#include "tests/support/eventually.hpp"

/// Several stores on one running server.
namespace kbase::tests {
namespace {

using conformance::revision_of;
using conformance::title_of;
using std::chrono::milliseconds;
using std::chrono::seconds;

class PostgresItemStores : public PostgresFixture {
 protected:
  static const PostgresServer& server() {
    static const PostgresServer started;
    return started;
  }

  /// A schema for the current test.
  static std::string schema() {
    return std::string(testing::UnitTest::GetInstance()->current_test_info()->name()).substr(0, 40);
  }

  Store open() { return PostgresFixture::open(server().url(), schema()); }
  Result<Store> try_open() { return PostgresFixture::try_open(server().url(), schema()); }
  static std::string run_sql(const std::string& query) {
    return server().ask("SET search_path = \"" + schema() + "\"; " + query);
  }

  /// Opens the state in the test's schema, with one connection for each port.
  std::unique_ptr<postgres::StateDatabase> open_state() {
    postgres::Options options;
    options.url = server().url() + "?application_name=" + schema();
    options.schema = schema();
    options.connections = 1;
    auto opened = postgres::StateDatabase::open(options, clock_, random_);
    if (!opened) throw std::runtime_error(opened.error().message + opened.error().detail);
    return *std::move(opened);
  }

  /// Opens a connection without a store.
  static std::unique_ptr<postgres::Session> connect(const std::string& url, const ports::Clock& clock) {
    const auto location = postgres::Location::parse(url, {});
    if (!location) throw std::runtime_error(location.error().message);
    const ports::Call call;
    auto session = postgres::Session::open(location->hosts[0].keywords, server().address(), seconds(5), call, clock);
    if (!session) throw std::runtime_error(session.error().detail);
    return *std::move(session);
  }

  /// Creates a user without special rights and returns its URL.
  static std::string make_user(const std::string& name) {
    server().ask("CREATE ROLE " + name + " LOGIN");
    return "postgres://" + name + "@" + server().address() + "/kbase";
  }

  /// The backend processes of what open_state() returned.
  static std::string processes() {
    return run_sql("SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity WHERE application_name = '" +
                   schema() + "'");
  }
  static void end_processes() {
    run_sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '" + schema() + "'");
  }
};

TEST_F(PostgresItemStores, OfOneSchemaShareItsContent) {
  const Store one = open(), two = open();
  EXPECT_TRUE(one->created());
  EXPECT_FALSE(two->created());
  EXPECT_EQ(one->store_id(), two->store_id());
  const auto written = put(*one, "a", "by one");
  ASSERT_TRUE(succeeded(written));
  EXPECT_EQ(revision_of(*two), *written);
  EXPECT_EQ(title_of(*two, "a"), "by one");
}

TEST_F(PostgresItemStores, OfTwoSchemasAreIndependent) {
  const Store one = open();
  const Store other = PostgresFixture::open(server().url(), "another-base");
  EXPECT_NE(one->store_id(), other->store_id());
  ASSERT_TRUE(succeeded(put(*one, "a")));
  EXPECT_EQ(title_of(*other, "a"), "none");
}

TEST_F(PostgresItemStores, AllowOneWriterAtATime) {
  const Store one = open(), two = open();
  ports::Call call;
  auto first = one->begin(call);
  ASSERT_TRUE(succeeded(first));
  ports::Call impatient = within(milliseconds(100));
  EXPECT_TRUE(failed(two->begin(impatient), ErrorCode::Conflict)) << "it waited in vain for the other batch to end";

  std::thread patient([&] {
    ports::Call waiting;
    const auto second = two->begin(waiting);
    EXPECT_TRUE(succeeded(second));
  });
  EXPECT_TRUE(eventually(seconds(5), [] {
    return run_sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == "1";
  })) << "the second batch waits in the database";
  first = Error{};
  patient.join();
}

TEST_F(PostgresItemStores, CancelAWaitForAnotherWriter) {
  const Store one = open(), two = open();
  ports::Call call;
  const auto first = one->begin(call);
  ASSERT_TRUE(succeeded(first));
  std::atomic<bool> cancelled{false};
  std::thread waiter([&] {
    ports::Call waiting;
    waiting.cancel = &cancelled;
    EXPECT_TRUE(failed(two->begin(waiting), ErrorCode::Cancelled));
  });
  EXPECT_TRUE(eventually(seconds(5), [] {
    return run_sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == "1";
  }));
  cancelled = true;
  waiter.join();
}

TEST_F(PostgresItemStores, WakeEachOtherFasterThanTheyPoll) {
  const Store one = open(), two = open();
  ASSERT_TRUE(succeeded(put(*one, "a")));
  auto fastest = milliseconds::max();
  for (int times = 0; times < 3; ++times) {
    const model::Revision before = revision_of(*two);
    std::atomic<bool> has_woken{false};
    std::chrono::steady_clock::time_point woken;
    std::thread waiter([&] {
      ports::Call call = within(seconds(10));
      EXPECT_TRUE(succeeded(two->wait(call, before)));
      woken = std::chrono::steady_clock::now();
      has_woken = true;
    });
    EXPECT_TRUE(eventually(seconds(5), [] {
      return run_sql(
                 "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query LIKE '%proof FROM "
                 "store'") != "0";
    }));
    ASSERT_TRUE(succeeded(put(*one, "a")));
    const auto committed = std::chrono::steady_clock::now();
    waiter.join();
    EXPECT_TRUE(has_woken);
    fastest = std::min(fastest, std::chrono::duration_cast<milliseconds>(woken - committed));
  }
  EXPECT_LT(fastest, milliseconds(300)) << "a notification wakes it, not the poll each second";
  RecordProperty("woken_after_ms", static_cast<int>(fastest.count()));
}

TEST_F(PostgresItemStores, LeaseToOneOwnerByTheClockOfTheServer) {
  const Store one = open(), two = open();
  ports::Call call;
  EXPECT_TRUE(one->try_lease(call, "index", "one", seconds(30)).value());
  EXPECT_FALSE(two->try_lease(call, "index", "two", seconds(30)).value());
  run_sql("UPDATE leases SET until = clock_timestamp()");
  EXPECT_TRUE(two->try_lease(call, "index", "two", seconds(30)).value());
  EXPECT_FALSE(one->try_lease(call, "index", "one", seconds(30)).value());
}

TEST_F(PostgresItemStores, CreateTheirSchemaOnce) {
  std::array<Store, 8> stores;
  std::vector<std::thread> threads;
  for (Store& store : stores) threads.emplace_back([this, &store] { store = open(); });
  for (std::thread& thread : threads) thread.join();
  int created = 0;
  for (const Store& store : stores) {
    created += store->created() ? 1 : 0;
    EXPECT_EQ(store->store_id(), stores[0]->store_id());
  }
  EXPECT_EQ(created, 1);
}

TEST_F(PostgresItemStores, MeasureTheOffsetOfTheServerClock) {
  EXPECT_LT(std::chrono::abs(open()->clock_ahead()), std::chrono::seconds(5)) << "it is the clock of this machine";
}

TEST_F(PostgresItemStores, CreateNoSchemaUnlessAllowed) {
  postgres::Options options;
  options.url = server().url();
  options.schema = schema();
  options.if_missing = postgres::IfMissing::Fail;
  const auto refused = postgres::PostgresItemStore::open(options, clock_, random_);
  ASSERT_TRUE(failed(refused, ErrorCode::NotFound));
  EXPECT_NE(refused.error().message.find(schema()), std::string::npos) << refused.error().message;
  EXPECT_EQ(server().ask("SELECT count(*) FROM pg_namespace WHERE nspname = '" + schema() + "'"), "0");
  open();
  EXPECT_TRUE(succeeded(postgres::PostgresItemStore::open(options, clock_, random_)));
}

TEST_F(PostgresItemStores, WorkOnASchemaThatANewerServerExtended) {
  ASSERT_TRUE(succeeded(put(*open(), "a")));
  run_sql(
      "UPDATE schema_version SET minor = minor + 5; ALTER TABLE items ADD COLUMN mood text DEFAULT 'fine';"
      "ALTER TABLE categories ADD COLUMN mood text; CREATE TABLE moods (mood text)");
  const Store old = open();
  EXPECT_EQ(title_of(*old, "a"), "A title");
  EXPECT_EQ(run_sql("SELECT minor > 0 FROM schema_version"), "t") << "and undo nothing";
}

TEST_F(PostgresItemStores, WriteToASchemaThatANewerServerExtended) {
  ASSERT_TRUE(succeeded(put(*open(), "a")));
  run_sql("UPDATE schema_version SET minor = minor + 5; ALTER TABLE items ADD COLUMN mood text DEFAULT 'fine'");
  EXPECT_TRUE(succeeded(put(*open(), "b")));
  EXPECT_EQ(run_sql("SELECT mood FROM items WHERE id = 'b'"), "fine");
}

TEST_F(PostgresItemStores, RejectASchemaOfAnotherMajorVersion) {
  open();
  run_sql("UPDATE schema_version SET major = major + 1");
  const auto newer = try_open();
  ASSERT_TRUE(failed(newer, ErrorCode::Unsupported));
  EXPECT_NE(newer.error().message.find("run the kbase that created it"), std::string::npos) << newer.error().message;
}

TEST_F(PostgresItemStores, RejectTheSchemaOfAnotherProgram) {
  server().ask("CREATE SCHEMA \"" + schema() + "\"; CREATE TABLE \"" + schema() + "\".users (name text)");
  const auto foreign = try_open();
  ASSERT_TRUE(failed(foreign, ErrorCode::Unsupported));
  EXPECT_NE(foreign.error().message.find("another program"), std::string::npos) << foreign.error().message;
}

TEST_F(PostgresItemStores, RejectTheSchemaOfAnotherInstance) {
  ASSERT_TRUE(succeeded(PostgresFixture::try_open(server().url(), schema(), "recipes")));
  const auto other = PostgresFixture::try_open(server().url(), schema(), "letters");
  ASSERT_TRUE(failed(other, ErrorCode::Unsupported));
  EXPECT_NE(other.error().message.find(
                "is the store of the instance 'recipes', but this configuration is for the instance 'letters'"),
            std::string::npos)
      << other.error().message;
  EXPECT_TRUE(succeeded(PostgresFixture::try_open(server().url(), schema(), "recipes")));
}

TEST_F(PostgresItemStores, UseAnEmptySchemaThatAnOperatorCreated) {
  server().ask("CREATE SCHEMA \"" + schema() + "\"");
  EXPECT_TRUE(open()->created());
}

TEST_F(PostgresItemStores, RejectAnInvalidSchemaName) {
  for (const std::string& name : {std::string(), std::string("a\"b"), std::string(51, 'x'), std::string("a\0b", 3)})
    EXPECT_TRUE(failed(PostgresFixture::try_open(server().url(), name), ErrorCode::InvalidArgument, "schema"));
  EXPECT_TRUE(succeeded(PostgresFixture::try_open(server().url(), std::string(50, 'x'))));
  EXPECT_TRUE(succeeded(PostgresFixture::try_open(server().url(), "/tmp/'; --")));
}

TEST_F(PostgresItemStores, RejectADatabaseThatIsNotInUtf8) {
  server().ask("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
  const auto latin = PostgresFixture::try_open("postgres://kbase@" + server().address() + "/latin");
  ASSERT_TRUE(failed(latin, ErrorCode::Unsupported));
  EXPECT_NE(latin.error().message.find("UTF-8"), std::string::npos);
}

TEST_F(PostgresItemStores, LogTheMessageOfTheServer) {
  const auto missing = PostgresFixture::try_open("postgres://kbase@" + server().address() + "/nowhere");
  ASSERT_TRUE(failed(missing, ErrorCode::Unavailable));
  EXPECT_NE(missing.error().message.find("\"nowhere\" does not exist"), std::string::npos) << missing.error().message;
  EXPECT_NE(missing.error().message.find("no database server accepted a connection"), std::string::npos);
  EXPECT_EQ(missing.error().message.find('\n'), std::string::npos) << missing.error().message;
  EXPECT_EQ(missing.error().detail, "") << "it would be logged twice";
}

TEST_F(PostgresItemStores, KeepNothingOfABatchWhoseConnectionWasClosed) {
  const Store store = open();
  const auto written = put(*store, "a", "old");
  ASSERT_TRUE(succeeded(written));
  ports::Call call;
  {
    auto writer = store->begin(call);
    ASSERT_TRUE(succeeded(writer));
    ASSERT_TRUE(succeeded(conformance::apply(**writer, {{}, {conformance::item_of("b")}, {"a"}, {}})));
    run_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'");
    EXPECT_TRUE(failed((*writer)->commit(call), ErrorCode::Unavailable));
  }
  EXPECT_EQ(title_of(*store, "a"), "old");
  EXPECT_EQ(revision_of(*store), *written);
  EXPECT_TRUE(succeeded(put(*store, "b"))) << "the next batch finds a connection";
}

TEST_F(PostgresItemStores, CancelTheStatementOfACancelledCall) {
  const Store store = open();
  ASSERT_TRUE(succeeded(put(*store, "a")));
  std::thread blocker([] { run_sql("BEGIN; LOCK TABLE store IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1); COMMIT"); });
  EXPECT_TRUE(eventually(seconds(5), [] {
    return run_sql("SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted") != "0";
  }));
  ports::Call call = within(milliseconds(50));
  EXPECT_TRUE(failed(store->revision(call), ErrorCode::Deadline));
  blocker.join();
  ports::Call next;
  EXPECT_TRUE(succeeded(store->revision(next)));
}

TEST_F(PostgresItemStores, ReadChangesInOrderWithoutASort) {
  const Store store = open();
  std::vector<std::string> ids;
  for (int i = 0; i < 2000; ++i) ids.push_back(std::to_string(i));
  const std::string content(10'000, 'x');
  conformance::Batch batch{{conformance::category_of("shelf")}, {}, {}, {}};
  for (const std::string& id : ids) {
    batch.items.push_back(conformance::item_of(id));
    batch.items.back().content = content;
  }
  ASSERT_TRUE(succeeded(conformance::commit(*store, batch)));
  const auto files_written = [] {
    return server().ask("SELECT temp_files FROM pg_stat_database WHERE datname = 'kbase'");
  };
  const std::string before = files_written();
  model::Revision last = 0;
  ports::Call call;
  EXPECT_TRUE(succeeded(store->changes(call, 0, [&](const ports::Change& change) {
    EXPECT_GT(change.revision, last);
    last = change.revision;
    return Visit::Continue;
  })));
  EXPECT_EQ(last, 2001u);
  EXPECT_EQ(files_written(), before) << "20 MB of content were sorted on disk";
}

TEST_F(PostgresItemStores, CountViewsDuringAnImport) {
  const Store store = open();
  const auto state = open_state();
  ports::Call call;
  const auto writer = store->begin(call);
  ASSERT_TRUE(succeeded(writer));
  const ports::ViewIncrement view{"a", model::Day(), 1};
  ports::Call soon = within(seconds(2));
  EXPECT_TRUE(succeeded(state->activity().add(soon, {1}, 1, {&view, 1}))) << "a view never waits for an import";
}

TEST_F(PostgresItemStores, ReuseTheConnectionOfAPartlyReadList) {
  const auto state = open_state();
  std::vector<std::string> ids;
  std::vector<ports::ViewIncrement> views;
  for (int i = 0; i < 1000; ++i) ids.push_back(std::to_string(i));
  for (const std::string& id : ids) views.push_back({id, model::Day(), 1});
  ports::Call call;
  ASSERT_TRUE(succeeded(state->activity().add(call, {1}, 1, views)));
  const std::string before = processes();
  for (const std::size_t wanted : {10u, 500u, 2000u}) {
    std::size_t visited = 0;
    EXPECT_TRUE(succeeded(state->activity().top(call, model::Day(), model::Day(), [&](const ports::ItemViews&) {
      return ++visited == wanted ? Visit::Stop : Visit::Continue;
    })));
    EXPECT_EQ(visited, std::min(wanted, ids.size()));
  }
  EXPECT_EQ(processes(), before);
}

TEST_F(PostgresItemStores, ReturnAllViewsAgainIfTheNewestWereLost) {
  const auto state = open_state();
  ports::Call call;
  const std::array<ports::ViewIncrement, 2> views{{{"a", model::Day(), 1}, {"b", model::Day(), 2}}};
  for (std::uint64_t sequence = 1; sequence <= 5; ++sequence)
    ASSERT_TRUE(succeeded(state->activity().add(call, {1}, sequence, views)));
  const auto seen = state->activity().revision(call);
  ASSERT_TRUE(succeeded(seen));
  run_sql("UPDATE views_state SET revision = 2; UPDATE viewed SET revision = 2");
  end_processes();
  std::vector<std::string> visited;
  const auto up_to = state->activity().totals(call, *seen, [&](const ports::ItemViews& item) {
    visited.emplace_back(item.item);
    return Visit::Continue;
  });
  ASSERT_TRUE(succeeded(up_to));
  std::sort(visited.begin(), visited.end());
  EXPECT_EQ(visited, (std::vector<std::string>{"a", "b"}));
  EXPECT_GT(*up_to, *seen + 1000) << "it is above what any other server may have seen";
  const auto again = state->activity().totals(call, *up_to, [](const ports::ItemViews&) {
    ADD_FAILURE() << "nothing is returned twice";
    return Visit::Continue;
  });
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(*again, *up_to);
}

TEST_F(PostgresItemStores, NeverReuseAKeyRevisionIfTheNewestWereLost) {
  const auto state = open_state();
  ports::Call call;
  for (const char* const id : {"a", "b", "c"}) {
    model::ApiKey key;
    key.id = id;
    key.digest[0] = static_cast<std::uint8_t>(id[0]);
    ASSERT_TRUE(succeeded(state->api_keys().create(call, key)));
  }
  const auto seen = state->api_keys().revision(call);
  ASSERT_TRUE(succeeded(seen));
  run_sql("UPDATE keys_state SET revision = 1");
  end_processes();
  const auto after = state->api_keys().revision(call);
  ASSERT_TRUE(succeeded(after));
  EXPECT_GT(*after, *seen);
}

TEST_F(PostgresItemStores, UseASchemaGrantedToAnOrdinaryUser) {
  const std::string url = make_user("guest");
  server().ask("CREATE SCHEMA \"" + schema() + "\" AUTHORIZATION guest");
  const auto store = PostgresFixture::try_open(url, schema());
  ASSERT_TRUE(succeeded(store)) << "the user may create tables there, but no schema";
  EXPECT_TRUE(succeeded(put(**store, "a")));
}

TEST_F(PostgresItemStores, ReportThatTheUserMayNotUseTheSchema) {
  open();
  const auto store = PostgresFixture::try_open(make_user("stranger"), schema());
  ASSERT_TRUE(failed(store, ErrorCode::Unavailable));
  EXPECT_NE(store.error().message.find("USAGE"), std::string::npos) << store.error().message;
}

TEST_F(PostgresItemStores, OpenEvenIfTheWalPositionIsRestricted) {
  const std::string url = make_user("curious");
  server().ask("CREATE SCHEMA \"" + schema() + "\" AUTHORIZATION curious");
  server().ask("REVOKE EXECUTE ON FUNCTION pg_current_wal_lsn() FROM PUBLIC");
  const auto store = PostgresFixture::try_open(url, schema());
  server().ask("GRANT EXECUTE ON FUNCTION pg_current_wal_lsn() TO PUBLIC");
  EXPECT_TRUE(succeeded(store));
}

TEST_F(PostgresItemStores, RememberWhichTombstonesWereDropped) {
  const Store store = open();
  ASSERT_TRUE(succeeded(put(*store, "a")));
  ASSERT_TRUE(succeeded(conformance::commit(*store, {{}, {}, {"a"}, {}})));
  run_sql("UPDATE store SET dropped = 50; UPDATE tombstones SET removed = now() - interval '40 days'");
  ASSERT_TRUE(succeeded(put(*store, "b")));
  EXPECT_EQ(run_sql("SELECT count(*) FROM tombstones"), "0");
  EXPECT_EQ(run_sql("SELECT dropped FROM store"), "50") << "an older one was dropped late";
}

TEST_F(PostgresItemStores, ReadAndLeaseWhileTheChangesAreRead) {
  postgres::Options options;
  options.url = server().url();
  options.schema = schema();
  options.connections = 1;
  const auto store = postgres::PostgresItemStore::open(options, clock_, random_);
  ASSERT_TRUE(succeeded(store));
  ASSERT_TRUE(succeeded(put(**store, "a")));
  bool is_visited = false;
  ports::Call call;
  EXPECT_TRUE(succeeded((*store)->changes(call, 0, [&](const ports::Change&) {
    ports::Call soon = within(seconds(2));
    EXPECT_TRUE(is_visited || succeeded((*store)->revision(soon)));
    EXPECT_TRUE(is_visited || succeeded((*store)->try_lease(soon, "index", "one", seconds(30))));
    is_visited = true;
    return Visit::Continue;
  })));
  EXPECT_TRUE(is_visited);
}

TEST_F(PostgresItemStores, RunWithTheirOwnSettings) {
  const std::string url = make_user("special");
  server().ask("ALTER ROLE special SET lock_timeout = '7s'");
  server().ask("ALTER ROLE special SET default_transaction_isolation = 'serializable'");
  const auto session = connect(url, clock_);
  ASSERT_TRUE(succeeded(postgres::schema::configure_session(*session, postgres::schema::Names(schema()))));
  static constexpr char kSettings[] =
      "SELECT concat_ws(', ', current_setting('lock_timeout'), current_setting('default_transaction_isolation'),"
      " current_setting('tcp_user_timeout'))";
  const auto settings = session->query(kSettings);
  ASSERT_TRUE(succeeded(settings));
  EXPECT_EQ(settings->row(0).text(0), "0, read committed, 25000");
}

/// Runs every reader. For each one, a view replaces a table whose names the reader returns. The view returns the
/// reader's tcp_user_timeout in place of the names.
TEST_F(PostgresItemStores, DoNotDisconnectAPausedReader) {
  const Store store = open();
  const auto state = open_state();
  ports::Call call;
  const ports::ViewIncrement view{"a", model::Day(), 1};
  const ports::KeyUsage use{"a", model::Day(), 1};
  model::ApiKey key;
  key.id = "a";
  ASSERT_TRUE(succeeded(put(*store, "a")));
  ASSERT_TRUE(succeeded(state->activity().add(call, {1}, 1, {&view, 1})));
  ASSERT_TRUE(succeeded(state->api_keys().create(call, key)));
  ASSERT_TRUE(succeeded(state->api_keys().add_usage(call, {&use, 1})));
  const model::Account account{"a", "a@example.org", "free", model::AccountState::Active, {}};
  ASSERT_TRUE(succeeded(state->accounts().create(call, account)));
  const model::QueryCount count{"a", model::Day(), 1, 0, 0};
  ASSERT_TRUE(succeeded(state->insights().add_queries(call, {&count, 1})));
  ASSERT_TRUE(succeeded(state->insights().put_feedback(call, {"a", model::Day(), {}, true, ""})));
  const std::string limit = "convert_to(current_setting('tcp_user_timeout'), 'UTF8')";
  run_sql("ALTER TABLE categories RENAME TO kept_categories; CREATE VIEW categories AS SELECT revision, id, " + limit +
          " AS name, description, icon, subcategories, items, views FROM kept_categories");
  run_sql("ALTER TABLE viewed RENAME TO kept_viewed; CREATE VIEW viewed AS SELECT number, " + limit +
          " AS id, views, revision FROM kept_viewed");
  run_sql("ALTER TABLE keys RENAME TO kept_keys; CREATE VIEW keys AS SELECT id, " + limit +
          " AS name, plan, digest, previous_digest, previous_expires, expires, scopes, created, revoked, account,"
          " suspended FROM kept_keys");
  run_sql("ALTER TABLE key_days RENAME TO kept_key_days; CREATE VIEW key_days AS SELECT " + limit +
          " AS id, day, requests FROM kept_key_days");
  run_sql("ALTER TABLE accounts RENAME TO kept_accounts; CREATE VIEW accounts AS SELECT id, " + limit +
          " AS email, plan, state, created FROM kept_accounts");
  run_sql("ALTER TABLE queries RENAME TO kept_queries; CREATE VIEW queries AS SELECT " + limit +
          " AS query, day, searches, without_result, with_click FROM kept_queries");
  run_sql("ALTER TABLE feedback RENAME TO kept_feedback; CREATE VIEW feedback AS SELECT number, " + limit +
          " AS item, day, reader, is_helpful, comment FROM kept_feedback");

  std::vector<std::string> limits;
  const auto note = [&](std::string_view value) {
    limits.emplace_back(value);
    return Visit::Continue;
  };
  const auto note_count = [&](const ports::ViewIncrement& row) { return note(row.item); };
  ASSERT_TRUE(
      succeeded(state->activity().totals(call, 0, [&](const ports::ItemViews& row) { return note(row.item); })));
  EXPECT_EQ(limits, std::vector<std::string>{"25000"}) << "a reader that never pauses has the timeout";
  limits.clear();
  EXPECT_TRUE(succeeded(store->changes(call, 0, [&](const ports::Change& change) {
    return change.category != nullptr ? note(change.category->name) : Visit::Continue;
  })));
  EXPECT_TRUE(succeeded(state->activity().days(call, note_count)));
  EXPECT_TRUE(succeeded(state->activity().snapshot(
      call, [](const ports::JournalMark&) { return Visit::Continue; }, note_count)));
  EXPECT_TRUE(succeeded(state->api_keys().list(call, [&](const model::ApiKey& row) { return note(row.name); })));
  EXPECT_TRUE(succeeded(state->api_keys().usage(call, model::Day(), model::Day(),
                                                [&](const ports::KeyUsage& row) { return note(row.id); })));
  EXPECT_TRUE(succeeded(state->accounts().list(call, [&](const model::Account& row) { return note(row.email); })));
  EXPECT_TRUE(succeeded(state->insights().queries(call, model::Day(), model::Day(),
                                                  [&](const model::QueryCount& row) { return note(row.query); })));
  EXPECT_TRUE(succeeded(state->insights().feedback(call, model::Day(), model::Day(),
                                                   [&](const model::Feedback& row) { return note(row.item); })));
  EXPECT_EQ(limits, std::vector<std::string>(8, "0"));
  limits.clear();
  EXPECT_TRUE(
      succeeded(state->activity().totals(call, 0, [&](const ports::ItemViews& row) { return note(row.item); })));
  EXPECT_EQ(limits, std::vector<std::string>{"25000"}) << "the same connection has the timeout again";
}

TEST_F(PostgresItemStores, CreateTheirTablesAfterTheImport) {
  static constexpr char kLock[] = "SELECT pg_advisory_lock(hashtextextended(convert_from($1, 'UTF8'), 0))";
  const std::string lock = postgres::schema::Names(schema()).writer_lock();
  auto importer = connect(server().url(), clock_);
  ASSERT_TRUE(succeeded(importer->query(kLock, postgres::Parameters(std::string_view(lock)))));
  std::thread starter([this] { open(); });
  EXPECT_TRUE(eventually(seconds(5), [] {
    return run_sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == "1";
  }));
  EXPECT_EQ(run_sql("SELECT count(*) FROM pg_namespace WHERE nspname = '" + schema() + "'"), "0");
  importer.reset();
  starter.join();
  EXPECT_EQ(revision_of(*open()), 0u);
}

TEST_F(PostgresItemStores, WaitMinutesButNotForeverForASilentServer) {
  static constexpr char kLock[] = "SELECT pg_advisory_lock(1)";
  conformance::ManualClock clock;
  const auto holder = connect(server().url(), clock), waiting = connect(server().url(), clock);
  ASSERT_TRUE(succeeded(holder->query(kLock)));
  std::atomic<int> looks{0};
  const auto look = [](const void* state) noexcept {
    ++*static_cast<std::atomic<int>*>(const_cast<void*>(state));
    return false;
  };
  ports::Call call;
  call.cancel = {&looks, look};
  waiting->set_call(&call);
  std::atomic<bool> is_over{false};
  std::thread waiter([&] {
    EXPECT_TRUE(failed(waiting->query(kLock), ErrorCode::Unavailable));
    is_over = true;
  });
  EXPECT_TRUE(eventually(seconds(5), [] {
    return run_sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == "1";
  }));
  clock.advance(std::chrono::minutes(1));
  const int before = looks;
  EXPECT_TRUE(eventually(seconds(5), [&] { return looks > before + 1; }));
  EXPECT_FALSE(is_over);
  clock.advance(std::chrono::minutes(2));
  waiter.join();
}

}  // namespace
}  // namespace kbase::tests
