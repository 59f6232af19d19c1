// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <array>
#include <thread>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "tests/adapters/postgres_fixture.hpp"
#include "tests/support/eventually.hpp"

/// PostgreSQL servers that are killed, frozen and replaced.
namespace kbase::tests {
namespace {

using conformance::revision_of;
using conformance::title_of;
using std::chrono::milliseconds;
using std::chrono::seconds;

class PostgresServers : public PostgresFixture {
 protected:
  static PostgresServer::Options durable() { return {{}, PostgresServer::Durability::Full}; }

  using State = std::unique_ptr<postgres::StateDatabase>;
  State open_state(const std::string& url) {
    postgres::Options options;
    options.url = url;
    options.schema = "kbase";
    auto opened = postgres::StateDatabase::open(options, clock_, random_);
    if (!opened) throw std::runtime_error(opened.error().message + opened.error().detail);
    return *std::move(opened);
  }

  /// Returns a URL with a primary and a server that may replace it.
  static std::string url_of(const PostgresServer& one, const PostgresServer& two) {
    return "postgres://kbase@" + one.address() + "," + two.address() + "/kbase";
  }

  /// Waits until the replica has replayed everything that the primary has written.
  static bool has_caught_up(const PostgresServer& replica, const PostgresServer& primary) {
    const std::string end = primary.ask("SELECT pg_current_wal_lsn()");
    return eventually(seconds(10), [&] {
      return replica.ask("SELECT coalesce(pg_last_wal_replay_lsn() >= '" + end + "'::pg_lsn, false)") == "t";
    });
  }

  static void signal_all(const std::vector<pid_t>& processes, int signal) {
    for (const pid_t process : processes) ::kill(process, signal);
  }

  /// Commits through `store` a batch that `replica` does not receive, and promotes the replica. Returns the lost
  /// commit's revision.
  static model::Revision lose_commit_in_failover(PostgresServer& primary, PostgresServer& replica,
                                                 ports::ItemStore& store) {
    EXPECT_TRUE(has_caught_up(replica, primary));
    replica.kill();
    const auto lost = put(store, "b", "lost");
    EXPECT_TRUE(succeeded(lost));
    primary.kill();
    replica.start();
    replica.promote();
    return lost ? *lost : 0;
  }

  /// Makes each later commit wait for a replica that does not exist. Restarts the server, because a running server's
  /// checkpointer reads changed settings only after a delay.
  void block_commits(PostgresServer& server, ports::ItemStore& store) {
    server.ask("ALTER SYSTEM SET synchronous_standby_names = 'no_such_replica'");
    server.kill();
    server.start();
    ASSERT_TRUE(becomes_readable(store));
  }

  static bool has_blocked_commit(const PostgresServer& server) {
    return eventually(seconds(10), [&] {
      return server.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "1";
    });
  }

  /// Returns the store's error about a server that lacks a revision which the store has seen; empty if the store
  /// accepts the server.
  Error refusal_of(ports::ItemStore& store) {
    Error refusal;
    eventually(seconds(20), [&] {
      ports::Call call = within(seconds(2));
      const auto revision = store.revision(call);
      if (!revision) refusal = revision.error();
      return revision || refusal.detail.find("revision") != std::string::npos;
    });
    return refusal;
  }

  /// Waits until the store can be read again.
  bool becomes_readable(ports::ItemStore& store) {
    return eventually(seconds(20), [&] {
      ports::Call call = within(seconds(2));
      return store.revision(call).has_value();
    });
  }
  bool becomes_readable(postgres::StateDatabase& state) {
    return eventually(seconds(20), [&] {
      ports::Call call = within(seconds(2));
      return state.api_keys().revision(call).has_value();
    });
  }
};

TEST_F(PostgresServers, KilledDuringABatchKeepOnlyEarlierBatches) {
  PostgresServer server(durable());
  const Store store = open(server.url());
  const auto written = put(*store, "a", "kept");
  ASSERT_TRUE(succeeded(written));
  ports::Call call;
  {
    auto writer = store->begin(call);
    ASSERT_TRUE(succeeded(writer));
    ASSERT_TRUE(succeeded(conformance::apply(**writer, {{}, {conformance::item_of("b")}, {"a"}, {}})));
    server.kill();
    EXPECT_TRUE(failed((*writer)->commit(call), ErrorCode::Unavailable));
  }
  ports::Call soon = within(seconds(2));
  EXPECT_TRUE(failed(store->revision(soon), ErrorCode::Unavailable));
  server.start();
  ASSERT_TRUE(becomes_readable(*store));
  EXPECT_EQ(revision_of(*store), *written);
  EXPECT_EQ(title_of(*store, "a"), "kept");
  EXPECT_EQ(title_of(*store, "b"), "none");
  EXPECT_TRUE(succeeded(put(*store, "b")));
}

TEST_F(PostgresServers, ThatAreFrozenBlockNoCallBeyondItsDeadline) {
  const PostgresServer server;
  const Store store = open(server.url());
  ASSERT_TRUE(succeeded(put(*store, "a")));
  const std::vector<pid_t> processes = server.processes();
  signal_all(processes, SIGSTOP);
  ports::Call call = within(milliseconds(100));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(failed(store->revision(call), ErrorCode::Deadline));
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(2));
  ports::Call importing = within(milliseconds(100));
  EXPECT_FALSE(store->begin(importing).has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(10)) << "an import waits longer for its lock";
  signal_all(processes, SIGCONT);
  EXPECT_TRUE(becomes_readable(*store));
}

TEST_F(PostgresServers, AreReadAfterARestartWithoutAnError) {
  PostgresServer server;
  const Store store = open(server.url());
  const auto written = put(*store, "a");
  ASSERT_TRUE(succeeded(written));
  EXPECT_EQ(revision_of(*store), *written);
  server.kill();
  server.start();
  ports::Call call = within(seconds(5));
  EXPECT_TRUE(succeeded(store->revision(call))) << "a connection that was closed while idle is not reused";
  EXPECT_TRUE(succeeded(put(*store, "b"))) << "the connection for batches is not reused either";
}

TEST_F(PostgresServers, ThatTakeOverAreFoundByTheirHostInTheString) {
  PostgresServer primary(durable());
  const auto replica = PostgresServer::replica_of(primary);
  const Store store = open(url_of(primary, *replica));
  const Store reversed = open(url_of(*replica, primary));
  const auto written = put(*store, "a", "before");
  ASSERT_TRUE(succeeded(written));
  EXPECT_EQ(revision_of(*reversed), *written) << "the replica is not used while there is a primary";
  ASSERT_TRUE(has_caught_up(*replica, primary));
  primary.kill();
  ports::Call soon = within(seconds(3));
  EXPECT_TRUE(failed(store->revision(soon), ErrorCode::Unavailable)) << "a replica accepts no connection";
  replica->promote();
  ASSERT_TRUE(becomes_readable(*store));
  EXPECT_EQ(title_of(*store, "a"), "before");
  EXPECT_TRUE(succeeded(put(*store, "b", "after")));
  ASSERT_TRUE(becomes_readable(*reversed));
  EXPECT_EQ(title_of(*reversed, "b"), "after");
}

TEST_F(PostgresServers, ThatReplaceAFrozenServerAreFoundByShortCalls) {
  const PostgresServer primary(durable());
  const auto replica = PostgresServer::replica_of(primary);
  const Store store = open(url_of(primary, *replica));
  ASSERT_TRUE(succeeded(put(*store, "a")));
  ASSERT_TRUE(has_caught_up(*replica, primary));
  const std::vector<pid_t> processes = primary.processes();
  signal_all(processes, SIGSTOP);
  replica->promote();
  EXPECT_TRUE(eventually(seconds(20), [&] {
    ports::Call short_call = within(milliseconds(500));
    return store->revision(short_call).has_value();
  })) << "each call can end at the frozen server, but the next one begins with the other";
  signal_all(processes, SIGCONT);
}

TEST_F(PostgresServers, ThatLackTheNewestCommitsAreRejected) {
  PostgresServer primary(durable());
  const auto replica = PostgresServer::replica_of(primary);
  const Store store = open(url_of(primary, *replica));
  const auto first = put(*store, "a");
  ASSERT_TRUE(succeeded(first));
  lose_commit_in_failover(primary, *replica, *store);
  const Error refusal = refusal_of(*store);
  EXPECT_EQ(refusal.code, ErrorCode::Unavailable);
  EXPECT_NE(refusal.detail.find("does not contain the commit of revision"), std::string::npos) << refusal.detail;

  const Store fresh = open(replica->url());
  EXPECT_EQ(revision_of(*fresh), *first) << "a store that has not seen the lost commit continues";
}

TEST_F(PostgresServers, ThatLackTheNewestCommitsAreRejectedEvenIfTheirRevisionsWereReused) {
  PostgresServer primary(durable());
  const auto replica = PostgresServer::replica_of(primary);
  const Store store = open(url_of(primary, *replica));
  ASSERT_TRUE(succeeded(put(*store, "a")));
  const model::Revision seen = lose_commit_in_failover(primary, *replica, *store);
  const Store fresh = open(replica->url());
  const auto again = put(*fresh, "c");
  ASSERT_TRUE(succeeded(again));
  ASSERT_EQ(*again, seen) << "another commit has its revision";
  EXPECT_EQ(refusal_of(*store).code, ErrorCode::Unavailable);
  ASSERT_TRUE(succeeded(put(*fresh, "d")));
  EXPECT_EQ(refusal_of(*store).code, ErrorCode::Unavailable);
}

TEST_F(PostgresServers, ThatLackTheNewestKeysAndViewsReturnThemAgainInAnyOrder) {
  PostgresServer primary(durable());
  const auto replica = PostgresServer::replica_of(primary);
  const State state = open_state(url_of(primary, *replica));
  const std::array<ports::ViewIncrement, 1> views{{{"a", model::Day(), 1}}};
  ports::Call call;
  model::ApiKey key;
  key.id = "key_a";
  ASSERT_TRUE(succeeded(state->api_keys().create(call, key)));
  ASSERT_TRUE(succeeded(state->activity().add(call, {1}, 1, views)));
  ASSERT_TRUE(has_caught_up(*replica, primary));
  replica->kill();
  key.name = "lost";
  ASSERT_TRUE(succeeded(state->api_keys().update(call, key)));
  ASSERT_TRUE(succeeded(state->activity().add(call, {1}, 2, views)));
  const auto keys_seen = state->api_keys().revision(call);
  const auto views_seen = state->activity().revision(call);
  ASSERT_TRUE(keys_seen && views_seen);
  primary.kill();
  replica->start();
  replica->promote();

  const State fresh = open_state(replica->url());
  key.name = "kept";
  key.revoked = true;
  ASSERT_TRUE(succeeded(fresh->api_keys().update(call, key)));
  ASSERT_TRUE(succeeded(fresh->activity().add(call, {2}, 1, views)));
  const auto raised = fresh->api_keys().revision(call);
  EXPECT_GT(raised.value(), *keys_seen) << "although it never saw the lost rows";
  ASSERT_TRUE(becomes_readable(*state));
  EXPECT_EQ(state->api_keys().revision(call).value(), *raised) << "both see the promotion, and one raises the revision";
  std::size_t visited = 0;
  const auto up_to = state->activity().totals(call, *views_seen, [&](const ports::ItemViews&) {
    ++visited;
    return Visit::Continue;
  });
  EXPECT_GT(up_to.value(), *views_seen);
  EXPECT_EQ(visited, views.size()) << "all rows are returned again";

  replica->kill();
  replica->start();
  ASSERT_TRUE(becomes_readable(*state));
  EXPECT_EQ(state->api_keys().revision(call).value(), *raised) << "the revision is raised once for each promotion";
}

TEST_F(PostgresServers, AreAcceptedByAProcessThatWasIdleLongerThanTheHistory) {
  PostgresServer server(durable());
  const Store store = open(server.url());
  ASSERT_TRUE(succeeded(put(*store, "a")));
  {
    const Store other = open(server.url());
    ASSERT_TRUE(succeeded(put(*other, "b")));
    server.ask("UPDATE kbase.batches SET committed = committed - interval '31 days'");
    ASSERT_TRUE(succeeded(put(*other, "c")));
    server.ask("UPDATE kbase.batches SET committed = committed - interval '31 days'");
    ASSERT_TRUE(succeeded(put(*other, "d")));
  }
  EXPECT_EQ(server.ask("SELECT count(*) FROM kbase.batches"), "2");
  server.kill();  // so that the store reconnects
  server.start();
  EXPECT_TRUE(becomes_readable(*store));
}

TEST_F(PostgresServers, AreAskedForTheOutcomeOfACommitWithoutReply) {
  PostgresServer server(durable());
  const Store store = open(server.url());
  ASSERT_NO_FATAL_FAILURE(block_commits(server, *store));
  std::jthread importer([&] { EXPECT_TRUE(succeeded(put(*store, "a", "kept"))); });
  ASSERT_TRUE(has_blocked_commit(server));
  server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  importer.join();
  EXPECT_EQ(title_of(*store, "a"), "kept") << "it was committed without a reply";
}

TEST_F(PostgresServers, AreAskedForTheBatchIfItsTransactionIdWasReused) {
  PostgresServer primary(durable());
  const auto replica = PostgresServer::replica_of(primary);
  const Store store = open(url_of(primary, *replica));
  ASSERT_TRUE(succeeded(put(*store, "a", "kept")));
  ASSERT_NO_FATAL_FAILURE(block_commits(primary, *store));
  ASSERT_TRUE(has_caught_up(*replica, primary));
  replica->promote();
  std::jthread importer([&] { EXPECT_TRUE(failed(put(*store, "b", "lost"), ErrorCode::Unavailable)); });
  ASSERT_TRUE(has_blocked_commit(primary));
  const std::string number = primary.ask("SELECT backend_xid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  while (replica->ask("SELECT pg_current_xact_id()::text::bigint >= " + number) == "f") {
  }
  EXPECT_EQ(replica->ask("SELECT pg_xact_status('" + number + "')"), "committed") << "it is another transaction";
  std::vector<pid_t> processes = primary.processes();
  processes.pop_back();  // the server itself, which kill() waits for
  primary.kill();
  signal_all(processes, SIGKILL);  // a backend that waits for a replica outlives its server
  importer.join();
  EXPECT_EQ(title_of(*store, "b"), "none");
}

TEST_F(PostgresServers, OfAnotherStoreAreRejected) {
  PostgresServer server;
  const Store store = open(server.url());
  server.ask("UPDATE kbase.store SET lineage = decode('000102030405060708090a0b0c0d0e0f', 'hex')");
  server.kill();
  server.start();
  ports::Call call = within(seconds(5));
  const auto revision = store->revision(call);
  ASSERT_TRUE(failed(revision, ErrorCode::Unavailable));
  EXPECT_NE(revision.error().detail.find("another id"), std::string::npos) << revision.error().detail;
}

TEST_F(PostgresServers, WakeAWaitThatSurvivedAFailover) {
  PostgresServer server;
  const Store one = open(server.url()), two = open(server.url());
  const auto before = put(*one, "a");
  ASSERT_TRUE(succeeded(before));
  ports::Call gone = within(milliseconds(50));
  EXPECT_TRUE(succeeded(two->wait(gone, *before)));
  server.kill();
  ports::Call meanwhile = within(seconds(2));
  EXPECT_TRUE(failed(two->wait(meanwhile, *before), ErrorCode::Unavailable)) << "the host waits and retries";
  server.start();
  ASSERT_TRUE(becomes_readable(*one));
  std::thread waiter([&] {
    EXPECT_TRUE(eventually(seconds(10), [&] {
      ports::Call call = within(seconds(10));
      return two->wait(call, *before).has_value();
    }));
  });
  EXPECT_TRUE(succeeded(put(*one, "b")));
  waiter.join();
}

}  // namespace
}  // namespace kbase::tests
