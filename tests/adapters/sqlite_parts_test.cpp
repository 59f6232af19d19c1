// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cerrno>
#include <string>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/state_database.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/text_file.hpp"

namespace kbase::tests {
namespace {
using testing::ElementsAreArray;
using testing::HasSubstr;

using Texts = std::vector<std::string_view>;

TEST(SqliteTextList, ReturnsWhatWasPacked) {
  const std::string long_text(200, 'x'), longer_text(20'000, 'y');
  for (const Texts& list : {Texts{}, Texts{""}, Texts{"a", "", "é"}, Texts{long_text, "b", longer_text}}) {
    std::vector<std::uint8_t> packed;
    Texts seen{"left over"};
    sqlite::text_list::pack(list, packed);
    EXPECT_TRUE(sqlite::text_list::unpack(packed, seen));
    EXPECT_THAT(seen, ElementsAreArray(list));
  }
}

TEST(SqliteTextList, RejectsDamagedBytes) {
  Texts list;
  const std::vector<std::uint8_t> cut_text{3, 'a', 'b'};
  const std::vector<std::uint8_t> cut_length{0x80};
  const std::vector<std::uint8_t> endless_length(12, 0xFF);
  const std::vector<std::uint8_t> huge_length{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 'a'};
  for (const auto& packed : {cut_text, cut_length, endless_length, huge_length})
    EXPECT_FALSE(sqlite::text_list::unpack(packed, list));
}

struct Translation {
  int code;
  int system_error;
  ErrorCode wanted;
  const char* words;
};

TEST(SqliteErrors, NameTheFileAndTheRemedy) {
  const Translation table[] = {
      {SQLITE_FULL, 0, ErrorCode::Unavailable, "no space left to write the store"},
      {SQLITE_IOERR_WRITE, ENOSPC, ErrorCode::Unavailable, "no space left to write the store"},
      {SQLITE_IOERR_WRITE, EDQUOT, ErrorCode::Unavailable, "no space left to write the store"},
      {SQLITE_IOERR_WRITE, EFBIG, ErrorCode::Unavailable, "no space left to write the store"},
      {SQLITE_IOERR_READ, EIO, ErrorCode::Unavailable, "cannot read or write the store: Input/output error"},
      {SQLITE_CANTOPEN, EACCES, ErrorCode::Unavailable,
       "cannot open the store: Permission denied; give the user that runs kbase permission to read and write the "
       "folder and its files"},
      {SQLITE_BUSY, 0, ErrorCode::Conflict, "somebody writes (the.db is locked)"},
      {SQLITE_BUSY_SNAPSHOT, 0, ErrorCode::Conflict, "somebody writes (the.db is locked)"},
      {SQLITE_CORRUPT_INDEX, 0, ErrorCode::Corrupt, "restore it from a backup"},
      {SQLITE_NOTADB, 0, ErrorCode::Corrupt, "not an SQLite database"},
      {SQLITE_READONLY_DBMOVED, 0, ErrorCode::Unsupported, "the.db is read-only"},
      {SQLITE_NOMEM, 0, ErrorCode::NoMemory, "not enough memory"},
      {SQLITE_TOOBIG, 0, ErrorCode::InvalidArgument, "longer than the.db can store"},
      {SQLITE_CONSTRAINT, 0, ErrorCode::Internal, "the.db"},
  };
  for (const Translation& row : table) {
    const Error error = sqlite::translate_error({row.code, row.system_error, "its text"}, "the.db",
                                                {ErrorCode::Conflict, "somebody writes"});
    EXPECT_EQ(error.code, row.wanted) << row.code;
    EXPECT_THAT(error.message, HasSubstr(row.words)) << row.code;
    EXPECT_THAT(error.detail, HasSubstr("its text")) << row.code;
  }
}

TEST(SqliteActivity, DeletesAJournalAfter30Days) {
  TemporaryFolder folder;
  conformance::ManualClock clock;
  const auto state = sqlite::StateDatabase::open({.path = folder.path() / "state.db"}, clock);
  ASSERT_TRUE(succeeded(state));
  ports::ActivityStore& activity = (*state)->activity();
  ports::Call call;
  const ports::ViewIncrement one{"a", model::day_of(clock.now()), 1};
  const auto views_after_adding = [&](const ports::JournalId& journal, std::uint64_t sequence) {
    EXPECT_TRUE(succeeded(activity.add(call, journal, sequence, {&one, 1})));
    std::uint64_t views = 0;
    EXPECT_TRUE(succeeded(activity.totals(call, 0, [&views](const ports::ItemViews& item) {
      views = item.views;
      return Visit::Continue;
    })));
    return views;
  };
  constexpr ports::JournalId kSilent{1}, kOther{2};
  EXPECT_EQ(views_after_adding(kSilent, 9), 1u);
  clock.advance(std::chrono::days(30));
  EXPECT_EQ(views_after_adding(kOther, 1), 2u);
  EXPECT_EQ(views_after_adding(kSilent, 9), 2u) << "30 days are not over yet";
  clock.advance(std::chrono::days(31));
  EXPECT_EQ(views_after_adding(kOther, 2), 3u);
  EXPECT_EQ(views_after_adding(kSilent, 9), 4u);
}

TEST(AStateDatabase, DoesNotContainTheAddressOfADeletedAccount) {
  const TemporaryFolder folder;
  const conformance::ManualClock clock;
  const auto file = folder.path() / "state.db";
  const auto has_address = [&] { return text_of(file).find("ada@example.org") != std::string::npos; };
  const auto change = [&](auto&& work) {
    const auto state = sqlite::StateDatabase::open({.path = file}, clock);
    ASSERT_TRUE(succeeded(state));
    ports::Call call;
    EXPECT_TRUE(succeeded(work((*state)->accounts(), call)));
  };
  change([](ports::AccountStore& accounts, ports::Call& call) {
    return accounts.create(call, {"acc_a", "ada@example.org", "developer", model::AccountState::Active, {}});
  });
  EXPECT_TRUE(has_address());
  change([](ports::AccountStore& accounts, ports::Call& call) { return accounts.remove(call, "acc_a"); });
  EXPECT_FALSE(has_address());
}

}  // namespace
}  // namespace kbase::tests
