// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using model::Day;
using std::chrono::days;

class FakeActivityStore final : public FakeTable<FakeActivityStore, kb_activity_store_v1, kb_activity_store> {
 public:
  FakeActivityStore() {
    using Store = kb_activity_store;
    table.add = [](Store*, kb_call*, const std::uint8_t journal[16], std::uint64_t sequence,
                   const kb_view_count* counts, std::size_t count) {
      current->arguments = std::to_string(journal[0]) + "/" + std::to_string(sequence) + list(counts, count);
      return current->answer;
    };
    table.set = [](Store*, kb_call*, kb_view item, const kb_view_count* counts, std::size_t count) {
      current->arguments = std::string(item.data, item.size) + list(counts, count);
      return current->answer;
    };
    table.revision = [](Store*, kb_call*, std::uint64_t* out) {
      *out = 11;
      return current->answer;
    };
    table.totals = [](Store*, kb_call*, std::uint64_t, kb_view_count_sink sink, void* data, std::uint64_t* up_to) {
      *up_to = 12;
      return current->pass_rows(sink, data);
    };
    table.top = [](Store*, kb_call*, std::int32_t first, std::int32_t last, kb_view_count_sink sink, void* data) {
      current->arguments = std::to_string(first) + ".." + std::to_string(last);
      return current->pass_rows(sink, data);
    };
    table.daily = table.top;
    table.days = [](Store*, kb_call*, kb_view_count_sink sink, void* data) { return current->pass_rows(sink, data); };
    table.snapshot = [](Store*, kb_call*, kb_journal_mark_sink journals, kb_view_count_sink counts, void* data) {
      const kb_journal_mark mark{sizeof mark, 0, {9}, 7};
      if (current->mixes && counts(data, &current->rows[0]) != 0) return kb_status{KB_STOPPED};
      if (journals(data, &mark) != 0) return kb_status{KB_STOPPED};
      return current->pass_rows(counts, data);
    };
  }

  kb_status pass_rows(kb_view_count_sink sink, void* data) {
    for (const kb_view_count& row : rows)
      if (sink(data, &row) != 0) return KB_STOPPED;
    return answer;
  }

  std::vector<kb_view_count> rows{{to_view("a"), 3, 20, 0}, {to_view("b"), 2, 21, 0}};
  kb_status answer = KB_OK;
  bool mixes = false;  ///< a snapshot begins with a count
  std::string arguments;

 private:
  static std::string list(const kb_view_count* counts, std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i)
      all += " " + std::string(counts[i].item.data, counts[i].item.size) + "@" + std::to_string(counts[i].day) + "=" +
             std::to_string(counts[i].views);
    return all;
  }
};

class ActivityStoreProxy : public testing::Test {
 protected:
  /// Returns the rows that the visitor receives, or the error.
  Status totals() {
    const auto up_to =
        store_->totals(call_, 0, [this](const ports::ItemViews& row) { return saw(row.item, row.views); });
    return up_to ? Status() : Status(up_to.error());
  }
  Status daily() {
    return store_->daily(call_, Day(days(1)), Day(days(2)), [this](const ports::DayViews& row) {
      return saw(std::to_string(row.day.time_since_epoch().count()), row.views);
    });
  }
  Status each_day() {
    return store_->days(call_, [this](const ports::ViewIncrement& row) { return saw(row.item, row.views); });
  }
  Status snapshot() {
    const auto journal = [this](const ports::JournalMark& mark) {
      return saw("journal " + std::to_string(mark.journal[0]), mark.sequence);
    };
    return store_->snapshot(call_, journal,
                            [this](const ports::ViewIncrement& row) { return saw(row.item, row.views); });
  }
  Visit saw(std::string_view what, std::uint64_t views) {
    seen_ += std::string(what) + "=" + std::to_string(views) + " ";
    return stop_ ? Visit::Stop : Visit::Continue;
  }

  HostFixture fixture_;
  FakeActivityStore fake_;
  std::unique_ptr<ports::ActivityStore> store_ =
      plugin_host::open_port<ports::ActivityStore>(fake_.table, fixture_.host, "{}").value();
  ports::Call call_;
  std::string seen_;
  bool stop_ = false;
};

TEST_F(ActivityStoreProxy, PassesIncrements) {
  const std::array<ports::ViewIncrement, 2> increments{{{"a", Day(days(20)), 1}, {"b", Day(days(21)), 2}}};
  ASSERT_TRUE(succeeded(store_->add(call_, {9}, 7, increments)));
  EXPECT_EQ(fake_.arguments, "9/7 a@20=1 b@21=2");
  const std::array<ports::DayViews, 1> of_days{{{Day(days(20)), 5}}};
  ASSERT_TRUE(succeeded(store_->set(call_, "a", of_days)));
  EXPECT_EQ(fake_.arguments, "a @20=5");
  EXPECT_EQ(store_->revision(call_).value(), 11u);
}

TEST_F(ActivityStoreProxy, ReturnsRows) {
  EXPECT_TRUE(succeeded(totals()));
  EXPECT_TRUE(succeeded(daily()));
  EXPECT_EQ(fake_.arguments, "1..2");
  EXPECT_TRUE(succeeded(each_day()));
  EXPECT_EQ(seen_, "a=3 b=2 20=3 21=2 a=3 b=2 ");
}

TEST_F(ActivityStoreProxy, OnlyTotalsAreCancelledWhenStopped) {
  stop_ = true;
  EXPECT_TRUE(failed(totals(), ErrorCode::Cancelled));
  EXPECT_TRUE(succeeded(daily()));
  EXPECT_TRUE(succeeded(each_day()));
  EXPECT_EQ(seen_, "a=3 20=3 a=3 ");
}

TEST_F(ActivityStoreProxy, ReturnsBothKindsOfSnapshotRows) {
  EXPECT_TRUE(succeeded(snapshot()));
  EXPECT_EQ(seen_, "journal 9=7 a=3 b=2 ");
  stop_ = true;
  EXPECT_TRUE(succeeded(snapshot()));
  EXPECT_EQ(seen_, "journal 9=7 a=3 b=2 journal 9=7 ");
}

TEST_F(ActivityStoreProxy, RejectsASnapshotWithAJournalAfterACount) {
  fake_.mixes = true;
  EXPECT_TRUE(failed(snapshot(), ErrorCode::Internal));
  EXPECT_EQ(seen_, "a=3 ");
}

TEST_F(ActivityStoreProxy, WorksWithoutSnapshots) {
  fake_.table.snapshot = nullptr;
  EXPECT_TRUE(failed(snapshot(), ErrorCode::Unsupported));
  fake_.table.struct_size = offsetof(kb_activity_store_v1, snapshot);
  EXPECT_TRUE(failed(snapshot(), ErrorCode::Unsupported));
  EXPECT_TRUE(succeeded(each_day()));
}

TEST_F(ActivityStoreProxy, RejectsInvalidRows) {
  fake_.rows = {{kInvalidView, 1, 20, 0}};
  EXPECT_TRUE(failed(totals(), ErrorCode::Internal));
  EXPECT_TRUE(failed(each_day(), ErrorCode::Internal));
  fake_.rows = {{to_view("a"), 1, INT32_MAX, 0}};
  EXPECT_TRUE(failed(daily(), ErrorCode::Internal));
  EXPECT_TRUE(failed(each_day(), ErrorCode::Internal));
  EXPECT_EQ(seen_, "");
  EXPECT_TRUE(failed(snapshot(), ErrorCode::Internal));
  EXPECT_EQ(seen_, "journal 9=7 ");
}

}  // namespace
}  // namespace kbase::tests
