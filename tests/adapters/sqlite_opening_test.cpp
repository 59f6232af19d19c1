// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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
using conformance::title_of;
using sqlite::IfMissing;
using sqlite::SqliteItemStore;
using sqlite::StateDatabase;
using testing::HasSubstr;

/// Opens content.db and state.db in a temporary folder.
class OpeningSqlite : public testing::Test {
 protected:
  Result<std::unique_ptr<SqliteItemStore>> open_content(IfMissing if_missing = IfMissing::Create) {
    return SqliteItemStore::open({.path = content_, .if_missing = if_missing}, clock_, random_, nullptr);
  }
  Result<std::unique_ptr<StateDatabase>> open_state() { return StateDatabase::open({.path = state_}, clock_); }

  /// Changes a file as another program might.
  static void run_sql(const std::filesystem::path& file, const char* sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  TemporaryFolder folder_;
  const std::filesystem::path content_ = folder_.path() / "new" / "folder" / "content.db";
  const std::filesystem::path state_ = folder_.path() / "state.db";
  conformance::ManualClock clock_;
  CountingRandom random_;
};

TEST_F(OpeningSqlite, CreatesAMissingFileWithItsFoldersAndLogsIt) {
  const auto store = open_content();
  ASSERT_TRUE(succeeded(store));
  EXPECT_TRUE((*store)->created());
  EXPECT_TRUE(std::filesystem::exists(content_));
  const auto state = open_state();
  ASSERT_TRUE(succeeded(state));
  EXPECT_TRUE((*state)->created());
}

/// During its lifetime, files are opened by a user who owns none of them.
class UnprivilegedUser {
 public:
  UnprivilegedUser() { is_root_ = ::geteuid() == 0 && ::seteuid(65534) == 0; }
  UnprivilegedUser(const UnprivilegedUser&) = delete;
  UnprivilegedUser& operator=(const UnprivilegedUser&) = delete;
  ~UnprivilegedUser() {
    if (is_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool is_root_;
};

TEST_F(OpeningSqlite, ReportsThatTheFolderIsNotWritable) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
  const UnprivilegedUser unprivileged;
  const auto state = open_state();
  ASSERT_TRUE(failed(state, ErrorCode::Unavailable));
  EXPECT_THAT(state.error().message, HasSubstr("cannot open the store: Permission denied; give the user"));
}

TEST_F(OpeningSqlite, OpensExistingData) {
  model::StoreId store_id{};
  {
    const auto store = open_content();
    ASSERT_TRUE(succeeded(store));
    store_id = (*store)->store_id();
    EXPECT_NE(store_id, model::StoreId{});
    ASSERT_TRUE(succeeded(commit(**store, {{category_of("shelf")}, {item_of("a")}, {}, {}})));
  }
  const auto store = open_content(IfMissing::Fail);
  ASSERT_TRUE(succeeded(store));
  EXPECT_FALSE((*store)->created());
  EXPECT_EQ((*store)->store_id(), store_id);
  EXPECT_EQ(title_of(**store, "a"), item_of("a").title);
}

TEST_F(OpeningSqlite, RejectsAMissingFileThatItMustNotCreate) {
  const auto store = open_content(IfMissing::Fail);
  ASSERT_TRUE(failed(store, ErrorCode::NotFound));
  EXPECT_THAT(store.error().message, HasSubstr(content_.string()));
  EXPECT_FALSE(std::filesystem::exists(content_));
}

TEST_F(OpeningSqlite, DoesNotMigrateAnOlderFileIfItMustNotCreateFiles) {
  std::filesystem::create_directories(content_.parent_path());
  std::ofstream(content_).close();
  const auto store = open_content(IfMissing::Fail);
  ASSERT_TRUE(failed(store, ErrorCode::NotFound));
  EXPECT_THAT(store.error().message, HasSubstr("of version 0"));
  EXPECT_EQ(std::filesystem::file_size(content_), 0u);
}

TEST_F(OpeningSqlite, CreatesAStoreInAnEmptyFile) {
  std::ofstream(state_).close();
  const auto state = open_state();
  ASSERT_TRUE(succeeded(state));
  EXPECT_TRUE((*state)->created());
}

TEST_F(OpeningSqlite, RejectsAFileOfANewerVersion) {
  ASSERT_TRUE(succeeded(open_content()));
  run_sql(content_, "PRAGMA user_version = 7");
  const auto store = open_content();
  ASSERT_TRUE(failed(store, ErrorCode::Unsupported));
  EXPECT_THAT(store.error().message, HasSubstr(content_.string()));
  EXPECT_THAT(store.error().message, HasSubstr("of version 7"));
  EXPECT_THAT(store.error().message, HasSubstr("up to 4"));
  EXPECT_THAT(store.error().message, HasSubstr("import again"));
}

TEST_F(OpeningSqlite, RejectsADatabaseOfAnotherProgram) {
  run_sql(state_, "CREATE TABLE theirs (id)");
  const auto state = open_state();
  ASSERT_TRUE(failed(state, ErrorCode::Unsupported));
  EXPECT_THAT(state.error().message, HasSubstr(state_.string()));
  EXPECT_THAT(state.error().message, HasSubstr("another program"));
  run_sql(state_, "INSERT INTO theirs VALUES (1)");  // the file was not changed
}

TEST_F(OpeningSqlite, RejectsAStateDatabaseAsContent) {
  ASSERT_TRUE(succeeded(open_state()));
  const auto store = SqliteItemStore::open({.path = state_}, clock_, random_, nullptr);
  EXPECT_TRUE(failed(store, ErrorCode::Unsupported));
}

TEST_F(OpeningSqlite, RejectsAFileThatIsNotADatabase) {
  std::ofstream(state_) << "Not a database, but a text of some length: " << std::string(5000, '.');
  const auto state = open_state();
  ASSERT_TRUE(failed(state, ErrorCode::Corrupt));
  EXPECT_THAT(state.error().message, HasSubstr(state_.string()));
}

TEST_F(OpeningSqlite, NamesAFolderThatCannotBeCreated) {
  std::ofstream(folder_.path() / "new").close();
  const auto store = open_content();
  ASSERT_TRUE(failed(store, ErrorCode::Unavailable));
  EXPECT_THAT(store.error().message, HasSubstr(content_.string()));
}

TEST_F(OpeningSqlite, ReportsThatAFolderIsNotAFile) {
  std::filesystem::create_directory(state_);
  const auto state = open_state();
  ASSERT_TRUE(failed(state, ErrorCode::Unavailable));
  EXPECT_THAT(state.error().detail, HasSubstr(state_.string()));
}

TEST_F(OpeningSqlite, ConcurrentOpenersOfAMissingFileCreateOneStore) {
  std::array<CountingRandom, 8> randoms;
  std::array<std::uint8_t, 3> skipped{};
  for (std::size_t i = 0; i < randoms.size(); ++i)  // each would create a different store id
    for (std::size_t k = 0; k < i; ++k) randoms[i].fill(skipped);
  std::array<std::optional<Result<std::unique_ptr<SqliteItemStore>>>, 8> stores;
  std::vector<std::thread> openers;
  for (std::size_t i = 0; i < stores.size(); ++i)
    openers.emplace_back(
        [&, i] { stores[i].emplace(SqliteItemStore::open({.path = content_}, clock_, randoms[i], nullptr)); });
  for (std::thread& opener : openers) opener.join();
  int creators = 0;
  for (const auto& store : stores) {
    ASSERT_TRUE(succeeded(*store));
    EXPECT_EQ((**store)->store_id(), (**stores[0])->store_id());
    if ((**store)->created()) ++creators;
  }
  EXPECT_EQ(creators, 1);
}

TEST_F(OpeningSqlite, ReportsADamagedFile) {
  {
    const auto store = open_content();
    ASSERT_TRUE(succeeded(store));
    const std::string content(100'000, 'x');
    model::ItemView large = item_of("a");
    large.content = content;
    ASSERT_TRUE(succeeded(commit(**store, {{category_of("shelf")}, {large, item_of("b")}, {}, {}})));
  }
  constexpr std::streamoff kPage = 16384;
  std::fstream file(content_, std::ios::in | std::ios::out | std::ios::binary);
  const std::string garbage(static_cast<std::size_t>(kPage), '\x5A');
  const auto pages = static_cast<std::streamoff>(std::filesystem::file_size(content_)) / kPage;
  for (std::streamoff page = 1; page < pages; ++page) {
    file.seekp(page * kPage);
    file << garbage;
  }
  file.close();
  const auto store = open_content();
  ASSERT_TRUE(failed(store, ErrorCode::Corrupt));
  EXPECT_THAT(store.error().message, HasSubstr("backup"));
}

TEST_F(OpeningSqlite, RejectsTheContentOfAnotherInstance) {
  const auto open_as = [this](const std::string& instance) {
    return SqliteItemStore::open({.path = content_, .instance = instance}, clock_, random_, nullptr);
  };
  ASSERT_TRUE(succeeded(open_as("")));  // a file of an earlier version belongs to no instance
  ASSERT_TRUE(succeeded(open_as("handbook")));
  ASSERT_TRUE(succeeded(open_as("handbook")));
  const auto other = open_as("recipes");
  ASSERT_TRUE(failed(other, ErrorCode::Unsupported));
  EXPECT_THAT(other.error().message, HasSubstr(content_.string() + " is the content store of the instance 'handbook'"));
  EXPECT_THAT(other.error().message, HasSubstr("this configuration is for the instance 'recipes'"));
  EXPECT_TRUE(succeeded(open_as("")));
}

TEST_F(OpeningSqlite, RejectsTheStateOfAnotherInstance) {
  const auto open_as = [this](const std::string& instance) {
    return StateDatabase::open({.path = state_, .instance = instance}, clock_);
  };
  ASSERT_TRUE(succeeded(open_as("handbook")));
  EXPECT_TRUE(failed(open_as("recipes"), ErrorCode::Unsupported));
  EXPECT_TRUE(succeeded(open_as("handbook")));
}

}  // namespace
}  // namespace kbase::tests
