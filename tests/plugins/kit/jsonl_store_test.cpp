// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "item_store.hpp"
#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suites.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using conformance::category_of;
using conformance::item_of;
using Store = std::shared_ptr<jsonl::JsonlItemStore>;

/// Records the names of log events.
class Events final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view event, std::string_view, std::span<const ports::LogField>) override {
    names += std::string(event) + ' ';
  }
  std::string names;
};

/// Folder with one file, which several stores may open.
class StoreFolder {
 public:
  Result<Store> try_open() { return jsonl::JsonlItemStore::open(file, clock, random_, events); }
  Store open() { return try_open().value(); }

  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  void write(std::string_view content) const { std::ofstream(file, std::ios::binary) << content; }
  std::size_t lines() const {
    const std::string text = content();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

 private:
  TemporaryFolder folder_;
  CountingRandom random_;

 public:
  const fs::path file = folder_.path() / "data" / "content.jsonl";
  conformance::ManualClock clock;
  Events events;
};

model::Revision put(jsonl::JsonlItemStore& store, std::string_view id, std::string_view title = "A title") {
  model::ItemView item = item_of(id);
  item.title = title;
  return conformance::commit(store, {{category_of("shelf")}, {item}, {}, {}}).value();
}

TEST(JsonlStore, CreatesItsFolderAndFileAndLogsIt) {
  StoreFolder folder;
  folder.open();
  EXPECT_EQ(folder.events.names, "store.created ");
  EXPECT_EQ(folder.lines(), 1U);
  folder.open();
  EXPECT_EQ(folder.events.names, "store.created ") << "an existing store is not created again";
}

TEST(JsonlStore, KeepsItsStoreId) {
  StoreFolder folder;
  const auto store_id = folder.open()->store_id();
  EXPECT_EQ(folder.open()->store_id(), store_id);
}

TEST(JsonlStore, IgnoresTheUnfinishedFileOfAKilledCommit) {
  StoreFolder folder;
  put(*folder.open(), "a");
  std::ofstream(folder.file.string() + ".new") << "half of a fi";
  const Store store = folder.open();
  EXPECT_EQ(conformance::recent_ids(*store, std::nullopt, {0, 10}), "a");
  EXPECT_EQ(put(*store, "c"), 4U);
}

TEST(JsonlStore, RejectsADamagedFileAndNamesTheLine) {
  StoreFolder folder;
  put(*folder.open(), "a");
  const std::string content = folder.content();
  const std::string damaged = content.substr(0, content.size() - 10);
  folder.write(damaged);
  const auto opened = folder.try_open();
  ASSERT_TRUE(failed(opened, ErrorCode::Corrupt));
  EXPECT_NE(opened.error().message.find("line 2"), std::string::npos) << opened.error().message;
  EXPECT_NE(opened.error().detail.find(folder.file.string()), std::string::npos) << opened.error().detail;
  EXPECT_EQ(folder.content(), damaged) << "nothing is written";
}

TEST(JsonlStore, RejectsAFileOfAnotherFormat) {
  StoreFolder folder;
  folder.open();
  for (const char* content : {"{}\n", "not JSON", "{\"id\":\"a\",\"title\":\"A\"}\n"}) {
    folder.write(content);
    EXPECT_TRUE(failed(folder.try_open(), ErrorCode::Corrupt)) << content;
    EXPECT_EQ(folder.content(), content);
  }
}

TEST(JsonlStore, SeesWhatAnotherProcessCommits) {
  StoreFolder folder;
  const Store reader = folder.open();
  const Store writer = folder.open();
  const auto revision = put(*writer, "a");
  EXPECT_EQ(conformance::revision_of(*reader), revision);
  EXPECT_EQ(conformance::recent_ids(*reader, std::nullopt, {0, 10}), "a");
  EXPECT_EQ(put(*reader, "b"), revision + 2) << "a batch follows the commit of the other store";
  EXPECT_EQ(conformance::revision_of(*writer), revision + 2);
}

TEST(JsonlStore, AllowsOneWriterAcrossProcesses) {
  StoreFolder folder;
  const Store one = folder.open();
  const Store other = folder.open();
  ports::Call call;
  const auto writer = one->begin(call);
  ASSERT_TRUE(succeeded(writer));
  ports::Call impatient;
  impatient.deadline = folder.clock.steady();
  EXPECT_TRUE(failed(other->begin(impatient), ErrorCode::Conflict));
}

TEST(JsonlStore, KeepsItsContentWhenABatchDoesNotFitOnTheDisk) {
  StoreFolder folder;
  const Store store = folder.open();
  put(*store, "a");
  const std::string before = folder.content();
  const rlim_t room = before.size() + 100;
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{room, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const auto committed = conformance::commit(*store, {{}, {item_of("b")}, {}, {}});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, ignored);
  ASSERT_TRUE(failed(committed, ErrorCode::Unavailable));
  EXPECT_NE(committed.error().message.find("free space"), std::string::npos) << committed.error().message;
  EXPECT_EQ(folder.content(), before);
  EXPECT_EQ(put(*store, "b"), 4U) << "the next batch succeeds";
}

class Fixture final : public conformance::ItemStoreFixture {
 public:
  Fixture() { reopen(); }
  ports::ItemStore& port() override { return *store_; }
  bool reopen() override {
    store_.reset();
    store_ = jsonl::JsonlItemStore::open(folder_.path() / "content.jsonl", clock, random_, events_).value();
    return true;
  }

 private:
  TemporaryFolder folder_;
  CountingRandom random_;
  Events events_;
  Store store_;
};

const bool kRegistered = register_contract<conformance::ItemStoreFixture>(
    "JsonlItemStore", conformance::item_store_suite(), [] { return std::make_unique<Fixture>(); });

}  // namespace
}  // namespace kbase::tests
