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
#include "plugins/conformance/manual_clock.hpp"
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
using model::ErrorCode;
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
class World {
 public:
  model::Result<Store> try_open() { return jsonl::JsonlItemStore::open(file, clock, random_, events); }
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

TEST(JsonlStore, MakesItsFolderAndFileAndSaysSo) {
  World world;
  world.open();
  EXPECT_EQ(world.events.names, "store.created ");
  EXPECT_EQ(world.lines(), 1U);
  world.open();
  EXPECT_EQ(world.events.names, "store.created ") << "a store that is there is not created again";
}

TEST(JsonlStore, KeepsItsStoreId) {
  World world;
  const auto store_id = world.open()->store_id();
  EXPECT_EQ(world.open()->store_id(), store_id);
}

TEST(JsonlStore, IsWholeWhereverAKilledWriterStopped) {
  World world;
  put(*world.open(), "a");
  const std::string before = world.content();
  put(*world.open(), "b");
  const std::string after = world.content();
  for (std::size_t size = before.size(); size < after.size(); ++size) {
    world.write(after.substr(0, size));
    const Store store = world.open();
    ASSERT_EQ(conformance::recent_ids(*store, std::nullopt, {0, 10}), "a") << "of " << size << " bytes";
    ASSERT_EQ(world.content(), before) << "what was torn is cut off";
    ASSERT_EQ(put(*store, "c"), 4U) << "and the next batch goes on from there";
  }
}

TEST(JsonlStore, CutsOffATornBatchWhoseCommitReachedTheDiskFirst) {
  World world;
  put(*world.open(), "a");
  const std::string before = world.content();
  put(*world.open(), "b");
  std::string after = world.content();
  after[before.size() + 60] ^= 1;
  world.write(after);
  EXPECT_EQ(conformance::recent_ids(*world.open(), std::nullopt, {0, 10}), "a");
  EXPECT_EQ(world.content(), before);
  EXPECT_NE(world.events.names.find("store.repaired"), std::string::npos);
}

TEST(JsonlStore, RefusesAFileThatIsDamagedBeforeItsEnd) {
  World world;
  put(*world.open(), "a");
  const std::size_t place = world.content().size() - 200;
  put(*world.open(), "b");
  std::string damaged = world.content();
  damaged[place] ^= 1;
  world.write(damaged);
  const auto opened = world.try_open();
  ASSERT_TRUE(failed(opened, ErrorCode::Corrupt));
  EXPECT_NE(opened.error().message.find(world.file.string()), std::string::npos) << opened.error().message;
  EXPECT_EQ(world.content(), damaged) << "nothing is cut off that was once on the disk";
}

TEST(JsonlStore, RefusesAFileOfSomethingElse) {
  World world;
  world.open();
  for (const char* content : {"{}\n", "not JSON", "{\"id\":\"a\",\"title\":\"A\"}\n"}) {
    world.write(content);
    EXPECT_TRUE(failed(world.try_open(), ErrorCode::Corrupt)) << content;
    EXPECT_EQ(world.content(), content);
  }
}

TEST(JsonlStore, SeesWhatAnotherProcessCommits) {
  World world;
  const Store reader = world.open();
  const Store writer = world.open();
  const auto revision = put(*writer, "a");
  EXPECT_EQ(conformance::revision_of(*reader), revision);
  EXPECT_EQ(conformance::recent_ids(*reader, std::nullopt, {0, 10}), "a");
  EXPECT_EQ(put(*reader, "b"), revision + 2) << "a batch begins on what the other committed";
  EXPECT_EQ(conformance::revision_of(*writer), revision + 2);
}

TEST(JsonlStore, HasOneWriterOverAllThatHaveItOpen) {
  World world;
  const Store one = world.open();
  const Store other = world.open();
  ports::Call call;
  const auto writer = one->begin(call);
  ASSERT_TRUE(succeeded(writer));
  ports::Call impatient;
  impatient.deadline = world.clock.steady();
  EXPECT_TRUE(failed(other->begin(impatient), ErrorCode::Conflict));
}

TEST(JsonlStore, IsWrittenAnewWhenMostOfItsLinesAreDead) {
  World world;
  const Store writer = world.open();
  const Store reader = world.open();
  for (int i = 0; i < 100; ++i) {
    put(*writer, "a", std::to_string(i));
    ASSERT_LE(world.lines(), 14U) << "a header, twice two live records with a commit each, and one batch more";
    ASSERT_EQ(conformance::title_of(*writer, "a"), std::to_string(i));
    if (i % 7 != 0) continue;
    ASSERT_EQ(conformance::revision_of(*reader), conformance::revision_of(*writer)) << "others follow to the new file";
    ASSERT_EQ(conformance::title_of(*reader, "a"), std::to_string(i));
  }
  EXPECT_EQ(world.open()->store_id(), writer->store_id());
  EXPECT_EQ(conformance::feed_text_after(*world.open(), 0), conformance::feed_text_after(*writer, 0));
}

TEST(JsonlStore, DoesNotTakeAFileForTornThatWasWrittenAsAWhole) {
  World world;
  const Store store = world.open();
  for (int i = 0; i < 20 && world.content().find("\"revision\":0,") != std::string::npos; ++i) put(*store, "a");
  const std::string whole = world.content();
  ASSERT_EQ(whole.find("\"revision\":0,"), std::string::npos) << "it was not written anew";
  world.write(whole.substr(0, whole.size() - 10));
  EXPECT_TRUE(failed(world.try_open(), ErrorCode::Corrupt));
}

TEST(JsonlStore, LeavesNothingOfABatchThatTheDiskHadNoRoomFor) {
  World world;
  const Store store = world.open();
  put(*store, "a");
  const std::string before = world.content();
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
  EXPECT_NE(committed.error().message.find("make room"), std::string::npos) << committed.error().message;
  EXPECT_EQ(world.content(), before);
  EXPECT_EQ(put(*store, "b"), 4U) << "and the next batch finds its place";
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
