// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "adapters/native_index/native_search_index.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/search_index_checks.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"

// Injects each kind of fault into each file operation of an index's life in turn, then reopens the index.
namespace kbase::tests {
namespace {

using conformance::kStoreId;
using conformance::SampleItem;
using conformance::search_ids;
using Build = ports::SearchIndex::Build;

/// An index and its expected content.
class IndexScenario {
 public:
  /// The rebuild uses `threads` threads.
  explicit IndexScenario(std::size_t threads = 1) : threads_(threads) { open(); }

  /// Runs a rebuild, updates that replace and remove items, a merge, a rebuild for another store id, and a merge of
  /// that.
  void live() {
    commit(Build::Rebuild, {leaf("a", 1), leaf("b", 1), leaf("c", 1)}, {});
    commit(Build::Update, {leaf("b", 2), leaf("d", 2)}, {"a"});
    commit(Build::Update, {leaf("e", 3)}, {"unknown"});
    commit(Build::Update, {leaf("c", 4)}, {});
    merge();
    commit(Build::Update, {leaf("f", 5)}, {"d"});
    commit(Build::Rebuild, {leaf("g", 6), leaf("h", 6)}, {});
    merge();
  }

  void open() {
    native_index::Options options;
    options.path = "index";
    options.merges = false;
    options.batch_bytes = 1;  // one segment per item
    options.threads = threads_;
    index_ = native_index::NativeSearchIndex::open(options, files, clock_, nullptr).value();
  }

  void restart(Surviving surviving, std::uint64_t seed) {
    files.restart(surviving, seed);
    open();
  }

  /// Checks that the index shows the last successful commit, or a later one that reported an error.
  void check(const std::string& when) {
    ports::Call call;
    const auto state = index_->state(call);
    ASSERT_TRUE(state) << when;
    if (!state->complete) {
      EXPECT_EQ(committed_, 0U) << when;
      return;
    }
    ASSERT_TRUE(contents_.contains(state->revision)) << when;
    EXPECT_GE(state->revision, committed_) << when;
    std::string all;
    for (const auto& [id, revision] : contents_.at(state->revision)) {
      all += (all.empty() ? "" : "|") + id;
      EXPECT_NE(("|" + search_ids(*index_, "word" + std::to_string(revision)) + "|").find("|" + id + "|"),
                std::string::npos)
          << when << ": " << id << " of " << revision;
    }
    EXPECT_EQ(search_ids(*index_, "every"), all) << when;
    EXPECT_TRUE(index_->verify(call)) << when;
  }

  /// Checks that the index accepts the next commit and keeps no unneeded files.
  void check_later_commits(const std::string& when) {
    ports::Call call;
    const auto state = index_->state(call);
    ASSERT_TRUE(state) << when;
    now_ = state->complete ? contents_.at(state->revision) : Contents();
    revision_ = std::max(revision_, std::uint64_t{100});
    commit(state->complete ? Build::Update : Build::Rebuild, {leaf("z", 101)}, {"b"});
    EXPECT_EQ(committed_, 101U) << when;
    check(when + ", and on");
    std::size_t segments = 0;
    const auto names = files.list("index");
    ASSERT_TRUE(names) << when;
    for (const std::string& name : *names) segments += name.starts_with("segment-") ? 1 : 0;
    EXPECT_EQ(segments, index_->snapshot()->segments.size()) << when;
  }

  FaultyFiles files;

 private:
  using Contents = std::map<std::string, std::uint64_t>;  // revision of each item, by id

  static SampleItem leaf(const std::string& id, std::uint64_t revision) {
    return {.id = id, .content = "every word" + std::to_string(revision)};
  }

  void commit(Build build, const std::vector<SampleItem>& samples, const std::vector<std::string>& removed) {
    ++revision_;
    Contents next = build == Build::Rebuild ? Contents() : now_;
    for (const SampleItem& each : samples) next[each.id] = revision_;
    for (const std::string& id : removed) next.erase(id);
    ports::Call call;
    const auto writer = index_->begin(call, build, kStoreId);
    if (!writer || !conformance::put(**writer, samples)) return;
    for (const std::string& id : removed)
      if (!(*writer)->remove(call, id)) return;
    contents_[revision_] = next;
    const bool is_done = (*writer)->commit(call, revision_).has_value();
    // A commit that reported an error may be visible nevertheless; later commits then build on it.
    const auto state = index_->state(call);
    if (is_done) committed_ = revision_;
    if (is_done || (state && state->complete && state->revision == revision_)) now_ = next;
  }

  void merge() {
    for (bool more = true; more;) {
      const auto merged = index_->merge_now();
      more = merged && *merged;
    }
  }

  const std::size_t threads_;
  conformance::ManualClock clock_;
  std::unique_ptr<native_index::NativeSearchIndex> index_;
  std::uint64_t revision_ = 0;
  std::uint64_t committed_ = 0;
  Contents now_;
  std::map<std::uint64_t, Contents> contents_;  // commits that may be visible, by revision
};

std::uint64_t count_operations() {
  IndexScenario scenario;
  scenario.live();
  return scenario.files.operations();
}

std::string describe_fault(std::uint64_t nth, const char* what) {
  return std::string(what) + " at operation " + std::to_string(nth);
}

TEST(CommitFaults, AnIndexWithoutFaultsReturnsCorrectResults) {
  IndexScenario scenario;
  scenario.live();
  scenario.check("at the end");
  scenario.check_later_commits("at the end");
}

void fail_each_operation(std::size_t threads) {
  const std::uint64_t operations = count_operations();
  for (std::uint64_t nth = 1; nth <= operations; ++nth)
    for (const Fault fault : {Fault::Fails, Fault::Tears}) {
      IndexScenario scenario(threads);
      scenario.files.inject_fault(nth, fault);
      scenario.live();
      scenario.check(describe_fault(nth, "failure"));
      scenario.check_later_commits(describe_fault(nth, "failure"));
    }
}

TEST(CommitFaults, AFailedOperationLosesAtMostItsCommit) { fail_each_operation(1); }

TEST(CommitFaults, AKilledProcessLosesNoCommit) {
  const std::uint64_t operations = count_operations();
  for (std::uint64_t nth = 1; nth <= operations; ++nth) {
    IndexScenario scenario;
    scenario.files.inject_fault(nth, Fault::Kills);
    scenario.live();
    scenario.restart(Surviving::Everything, 0);
    scenario.check(describe_fault(nth, "kill"));
    scenario.check_later_commits(describe_fault(nth, "kill"));
  }
}

/// Which thread meets the fault is random.
TEST(CommitFaults, AFailedOperationOfOneThreadLosesAtMostItsCommit) { fail_each_operation(3); }

TEST(CommitFaults, APowerFailureLosesNoCommit) {
  const std::uint64_t operations = count_operations();
  for (std::uint64_t nth = 1; nth <= operations; ++nth)
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      IndexScenario scenario;
      scenario.files.inject_fault(nth, Fault::Kills);
      scenario.live();
      scenario.restart(seed == 0 ? Surviving::SyncedOnly : Surviving::RandomParts, seed);
      scenario.check(describe_fault(nth, "power cut"));
      scenario.check_later_commits(describe_fault(nth, "power cut"));
    }
}

}  // namespace
}  // namespace kbase::tests
