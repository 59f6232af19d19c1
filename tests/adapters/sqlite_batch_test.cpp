// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "adapters/sqlite/item_store.hpp"
#include "adapters/sqlite/state_database.hpp"
#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using conformance::category_of;
using conformance::commit;
using conformance::item_of;
using conformance::recent_ids;
using conformance::revision_of;
using conformance::title_of;
using ports::Call;
using sqlite::SqliteItemStore;
using testing::HasSubstr;

constexpr std::size_t kSmallCache = std::size_t{256} << 10;  // a batch is written to the log before its commit

class SqliteBatch : public testing::Test {
 protected:
  std::unique_ptr<SqliteItemStore> open(unsigned readers = 4) {
    auto store = SqliteItemStore::open({.path = file_, .readers = readers, .writer_cache_bytes = kSmallCache}, clock_,
                                       random_, nullptr);
    EXPECT_TRUE(succeeded(store));
    return store ? *std::move(store) : nullptr;
  }

  /// Puts the items "0", "1", ... of about 10 kB each, up to `count` or the first error.
  static Status put_many(ports::ItemWriter& writer, int count) {
    Call call;
    const std::string content(10'000, 'x');
    for (int i = 0; i < count; ++i) {
      const std::string id = std::to_string(i);
      model::ItemView item = item_of(id);
      item.content = content;
      const model::ItemView* const one = &item;
      if (auto put = writer.put(call, {&one, 1}); !put) return put;
    }
    return {};
  }

  std::filesystem::path log_file() const { return file_.string() + "-wal"; }

  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "content.db";
  conformance::ManualClock clock_;
  CountingRandom random_;
};

TEST_F(SqliteBatch, CanBeLargerThanItsCache) {
  const auto store = open();
  ASSERT_TRUE(succeeded(commit(*store, {{category_of("shelf")}, {item_of("7")}, {}, {}})));
  Call call;
  const auto writer = store->begin(call);
  ASSERT_TRUE(succeeded(writer));
  ASSERT_TRUE(succeeded(put_many(**writer, 1000)));
  EXPECT_GT(std::filesystem::file_size(log_file()), 5'000'000u);
  EXPECT_EQ(recent_ids(*store, std::nullopt, {0, 10}), "7");
  ASSERT_TRUE(succeeded((*writer)->commit(call)));
  const auto totals = store->totals(call, model::day_of(clock_.now()));
  ASSERT_TRUE(succeeded(totals));
  EXPECT_EQ(totals->items, 1000u);
}

TEST_F(SqliteBatch, LeavesNoWriteAheadLog) {
  const auto store = open();
  ASSERT_TRUE(succeeded(commit(*store, {{category_of("shelf")}, {item_of("a")}, {}, {}})));
  EXPECT_EQ(std::filesystem::file_size(log_file()), 0u);
}

TEST_F(SqliteBatch, ConflictsWithABatchOfAnotherProcess) {
  const auto store = open();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  Call impatient;
  impatient.deadline = clock_.steady();
  const auto refused = store->begin(impatient);
  ASSERT_TRUE(failed(refused, ErrorCode::Conflict));
  EXPECT_THAT(refused.error().message, HasSubstr("another import is running"));
  EXPECT_THAT(refused.error().message, HasSubstr(file_.string()));
  EXPECT_EQ(revision_of(*store), 0u);  // readers do not wait for the writer

  ASSERT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_TRUE(succeeded(store->begin(impatient)));
}

TEST_F(SqliteBatch, WaitsForThePreviousBatch) {
  const auto store = open();
  Call call;
  auto first = store->begin(call);
  ASSERT_TRUE(succeeded(first));
  std::thread second([&] {
    Call patient;
    EXPECT_TRUE(succeeded(store->begin(patient)));
  });
  EXPECT_TRUE(succeeded((*first)->commit(call)));
  second.join();
}

TEST_F(SqliteBatch, RejectsAnItemWithoutItsCategory) {
  const auto store = open();
  EXPECT_TRUE(failed(commit(*store, {{}, {item_of("a")}, {}, {}}), ErrorCode::InvalidArgument, "category"));
  EXPECT_EQ(revision_of(*store), 0u);
}

/// Runs `body` in a child process and returns its exit code, or 128 plus the signal number.
template <class Body> int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Limits the size of all files of this process from now on, as if the disk were full.
void limit_file_size(rlim_t bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST_F(SqliteBatch, OnAFullDiskLeavesTheStoreUnchanged) {
  ASSERT_TRUE(succeeded(commit(*open(), {{category_of("shelf")}, {item_of("a")}, {}, {}})));
  const int exit_code = in_child([this] {
    const auto store = open();
    limit_file_size(std::filesystem::file_size(file_) + 1'000'000);
    {
      Call call;
      const auto writer = store->begin(call);
      ASSERT_TRUE(succeeded(writer));
      const auto full = put_many(**writer, 1000);
      ASSERT_TRUE(failed(full, ErrorCode::Unavailable));
      EXPECT_THAT(full.error().message, HasSubstr("no space left"));
      EXPECT_THAT(full.error().detail, HasSubstr(file_.string()));
    }
    EXPECT_EQ(recent_ids(*store, std::nullopt, {0, 10}), "a");
    limit_file_size(RLIM_INFINITY);
    EXPECT_TRUE(succeeded(commit(*store, {{}, {item_of("b")}, {}, {}})));
  });
  EXPECT_EQ(exit_code, 0);
  const auto store = open();
  EXPECT_EQ(recent_ids(*store, std::nullopt, {0, 10}), "a|b");
  EXPECT_EQ(revision_of(*store), 3u);
}

TEST_F(SqliteBatch, KilledBeforeItsCommitLeavesNothing) {
  ASSERT_TRUE(succeeded(commit(*open(), {{category_of("shelf")}, {item_of("a")}, {}, {}})));
  const int exit_code = in_child([this] {
    const auto store = open();
    Call call;
    const auto writer = store->begin(call);
    ASSERT_TRUE(succeeded(writer));
    ASSERT_TRUE(succeeded(put_many(**writer, 1000)));
    ::raise(SIGKILL);
  });
  ASSERT_EQ(exit_code, 128 + SIGKILL);
  EXPECT_GT(std::filesystem::file_size(log_file()), 5'000'000u);
  const auto store = open();
  EXPECT_EQ(recent_ids(*store, std::nullopt, {0, 10}), "a");
  EXPECT_EQ(conformance::feed_text_after(*store, 0), "+[shelf] +a");
  EXPECT_TRUE(succeeded(commit(*store, {{}, {item_of("b")}, {}, {}})));
  EXPECT_EQ(revision_of(*store), 3u);
}

TEST_F(SqliteBatch, KilledAfterItsCommitIsKept) {
  const int exit_code = in_child([this] {
    const auto store = open();
    ASSERT_TRUE(succeeded(commit(*store, {{category_of("shelf")}, {item_of("a")}, {}, {}})));
    ::raise(SIGKILL);
  });
  ASSERT_EQ(exit_code, 128 + SIGKILL);
  EXPECT_EQ(title_of(*open(), "a"), item_of("a").title);
}

TEST_F(SqliteBatch, OfTheStateIsUnavailableWhileAnotherProcessWrites) {
  const std::filesystem::path file = folder_.path() / "state.db";
  const auto state = sqlite::StateDatabase::open({.path = file}, clock_);
  ASSERT_TRUE(succeeded(state));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  Call impatient;
  impatient.deadline = clock_.steady();
  model::ApiKey key;
  key.id = "a";
  EXPECT_TRUE(failed((*state)->api_keys().create(impatient, key), ErrorCode::Unavailable));
  sqlite3_close(other);
  EXPECT_TRUE(succeeded((*state)->api_keys().create(impatient, key)));
}

TEST_F(SqliteBatch, ReadersWaitForAFreeConnection) {
  const auto store = open(1);
  ASSERT_TRUE(succeeded(commit(*store, {{category_of("shelf")}, {item_of("a")}, {}, {}})));
  Call call;
  EXPECT_TRUE(succeeded(store->get(call, "a", [&](const model::ItemView&) {
    std::thread([&] {
      Call impatient;
      impatient.deadline = clock_.steady() + std::chrono::milliseconds(1);
      EXPECT_TRUE(failed(store->revision(impatient), ErrorCode::Unavailable));
    }).join();
    return Visit::Continue;
  })));
  EXPECT_EQ(revision_of(*store), 2u);
}

TEST_F(SqliteBatch, ReadersStopWaitingAtTheDeadline) {
  const auto store = open();
  Call late;
  late.deadline = clock_.steady();
  EXPECT_TRUE(failed(store->revision(late), ErrorCode::Deadline));
}

TEST_F(SqliteBatch, ARunningFeedStopsAtTheDeadline) {
  const auto store = open();
  Call call;
  {
    const auto writer = store->begin(call);
    ASSERT_TRUE(succeeded((*writer)->put_category(call, category_of("shelf"))));
    ASSERT_TRUE(succeeded(put_many(**writer, 1000)));
    ASSERT_TRUE(succeeded((*writer)->commit(call)));
  }
  call.deadline = clock_.steady() + std::chrono::seconds(1);
  int rows = 0;
  const auto fed = store->changes(call, 0, [&](const ports::Change&) {
    if (++rows == 10) clock_.advance(std::chrono::seconds(2));
    return Visit::Continue;
  });
  EXPECT_TRUE(failed(fed, ErrorCode::Deadline));
  EXPECT_LT(rows, 1000);
}

}  // namespace
}  // namespace kbase::tests
