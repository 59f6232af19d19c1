// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "domain/base/text.hpp"
#include "tests/plugins/host_fixture.hpp"

namespace kbase::tests {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kNoSeries = std::numeric_limits<std::uint32_t>::max();

class HostTable : public testing::Test {
 protected:
  void log(std::int32_t level, kb_view event, kb_view message) { table_.log(&table_, level, event, message); }
  std::uint32_t counter(std::string_view name) { return metric(KB_METRIC_COUNTER, name); }
  std::uint32_t gauge(std::string_view name) { return metric(KB_METRIC_GAUGE, name); }
  std::uint32_t metric(std::int32_t kind, std::string_view name) {
    return table_.metric(&table_, kind, to_view(name), to_view("What it counts."));
  }

  HostFixture fixture_;
  const kb_host& table_ = *fixture_.host.table();
};

TEST_F(HostTable, ReportsItsNameAndVersion) {
  EXPECT_EQ(table_.struct_size, sizeof(kb_host));
  EXPECT_EQ(table_.abi_minor, KB_ABI_MINOR);
  EXPECT_STREQ(table_.name, "kbase");
  EXPECT_STREQ(table_.version, "1.1.0");
}

TEST_F(HostTable, HasNoExtension) {
  EXPECT_EQ(table_.get_extension(&table_, "kbase.unheard_of/1"), nullptr);
  EXPECT_EQ(table_.get_extension(&table_, nullptr), nullptr);
}

TEST_F(HostTable, LogsUnderTheIdOfThePlugin) {
  log(KB_LOG_WARNING, to_view("store.opened"), to_view("It is open."));
  ASSERT_EQ(fixture_.log.lines.size(), 1u);
  EXPECT_EQ(fixture_.log.lines[0].level, ports::LogLevel::Warning);
  EXPECT_EQ(fixture_.log.lines[0].event, "store.opened");
  EXPECT_EQ(fixture_.log.lines[0].message, "It is open.");
  EXPECT_EQ(fixture_.log.lines[0].plugin, "org.example.fake");
}

TEST_F(HostTable, LogsFieldsWithTheirTypes) {
  log(KB_LOG_INFO, to_view("store.opened"),
      to_view("It is open." KB_LOG_FIELD "path=/a=b" KB_LOG_FIELD "items=12" KB_LOG_FIELD "plugin=forged" KB_LOG_FIELD
              "No Name=1" KB_LOG_FIELD "empty="));
  ASSERT_EQ(fixture_.log.lines.size(), 1u);
  EXPECT_EQ(fixture_.log.lines[0].message, "It is open.");
  EXPECT_EQ(fixture_.log.lines[0].plugin, "org.example.fake");
  EXPECT_EQ(fixture_.log.lines[0].further, " path=/a=b items:12 empty=");
}

TEST_F(HostTable, MapsAnUnknownLevelToTheNearest) {
  log(99, to_view("a.b"), to_view(""));
  log(-5, to_view("a.b"), to_view(""));
  ASSERT_EQ(fixture_.log.lines.size(), 2u);
  EXPECT_EQ(fixture_.log.lines[0].level, ports::LogLevel::Error);
  EXPECT_EQ(fixture_.log.lines[1].level, ports::LogLevel::Debug);
}

TEST_F(HostTable, ReplacesAnInvalidEventName) {
  const std::string endless(65, 'a');
  for (const kb_view event :
       {to_view(""), to_view("a b"), to_view("a\",\"level\":\"x"), to_view(endless), kInvalidView})
    log(KB_LOG_INFO, event, to_view("x"));
  ASSERT_EQ(fixture_.log.lines.size(), 5u);
  for (const RecordingLog::Line& line : fixture_.log.lines) EXPECT_EQ(line.event, "plugin.event");
}

TEST_F(HostTable, ReplacesInvalidUtf8InAMessage) {
  log(KB_LOG_INFO, to_view("a.b"), to_view("caf\xE9!"));
  log(KB_LOG_INFO, to_view("a.b"), kInvalidView);
  ASSERT_EQ(fixture_.log.lines.size(), 2u);
  EXPECT_EQ(fixture_.log.lines[0].message, "caf\uFFFD!");
  EXPECT_EQ(fixture_.log.lines[1].message, "");
}

TEST_F(HostTable, TruncatesALongMessageBetweenCharacters) {
  std::string huge = "x";
  while (huge.size() < 100'000) huge += "\u20AC";
  log(KB_LOG_INFO, to_view("a.b"), to_view(huge));
  ASSERT_EQ(fixture_.log.lines.size(), 1u);
  const std::string& message = fixture_.log.lines[0].message;
  EXPECT_LE(message.size(), 4096u);
  EXPECT_GT(message.size(), 4000u);
  EXPECT_TRUE(utf8::is_valid(message));
}

TEST_F(HostTable, ProvidesTheClocksOfTheServer) {
  const std::uint64_t before = table_.monotonic_ns(&table_);
  EXPECT_EQ(table_.wall_ms(&table_), fixture_.clock.now().time_since_epoch().count());
  fixture_.clock.advance(milliseconds(1500));
  EXPECT_EQ(table_.monotonic_ns(&table_) - before, 1'500'000'000u);
  EXPECT_EQ(table_.wall_ms(&table_), fixture_.clock.now().time_since_epoch().count());
}

TEST_F(HostTable, LabelsSeriesWithTheIdOfThePlugin) {
  const std::uint32_t hits = counter("hits");
  const std::uint32_t depth = gauge("depth");
  table_.metric_add(&table_, hits, 3);
  table_.metric_add(&table_, depth, 5);
  table_.metric_add(&table_, depth, -2);
  EXPECT_EQ(fixture_.metrics.series["kbase_plugin_hits_total{plugin=org.example.fake}"].value, 3);
  EXPECT_EQ(fixture_.metrics.series["kbase_plugin_depth{plugin=org.example.fake}"].value, 3);
}

TEST_F(HostTable, ReturnsTheSameNumberForTheSameName) {
  const std::uint32_t hits = counter("hits");
  EXPECT_NE(counter("misses"), hits);
  EXPECT_EQ(counter("hits"), hits);
}

TEST_F(HostTable, ReturnsNoSeriesForAnInvalidName) {
  for (const std::string_view name : {"", "Hits", "hit rate", "hits-1", "h\xC3\xA9"})
    EXPECT_EQ(counter(name), kNoSeries);
  EXPECT_EQ(counter(std::string(65, 'a')), kNoSeries);
  EXPECT_EQ(table_.metric(&table_, KB_METRIC_COUNTER, kInvalidView, kInvalidView), kNoSeries);
  EXPECT_EQ(table_.metric(&table_, 7, to_view("hits"), to_view("")), kNoSeries);
  EXPECT_TRUE(fixture_.metrics.series.empty());
}

TEST_F(HostTable, RejectsANameForBothACounterAndAGauge) {
  EXPECT_NE(counter("hits_total"), kNoSeries);
  plugin_host::HostTable other("org.example.other", "other", {fixture_.clock, fixture_.log, &fixture_.metrics});
  EXPECT_EQ(other.table()->metric(other.table(), KB_METRIC_GAUGE, to_view("hits_total"), to_view("")), kNoSeries);
  EXPECT_NE(other.table()->metric(other.table(), KB_METRIC_GAUGE, to_view("hits"), to_view("")), kNoSeries);
  EXPECT_EQ(fixture_.metrics.series.count("kbase_plugin_hits_total{plugin=org.example.fake}"), 1u);
  EXPECT_EQ(fixture_.metrics.series.count("kbase_plugin_hits{plugin=org.example.other}"), 1u);
}

TEST_F(HostTable, LimitsTheNumberOfSeries) {
  for (std::uint32_t i = 0; i < plugin_host::HostTable::kMaxSeries; ++i)
    EXPECT_NE(counter("series_" + std::to_string(i)), kNoSeries);
  EXPECT_EQ(counter("one_more"), kNoSeries);
  EXPECT_NE(counter("series_0"), kNoSeries);
}

TEST_F(HostTable, IgnoresAnInvalidAmount) {
  const std::uint32_t hits = counter("hits");
  table_.metric_add(&table_, hits, -1);
  table_.metric_add(&table_, kNoSeries, 1);
  table_.metric_add(&table_, hits + 1, 1);
  EXPECT_EQ(fixture_.metrics.series["kbase_plugin_hits_total{plugin=org.example.fake}"].value, 0);
}

TEST_F(HostTable, ReturnsNoSeriesIfMetricsAreDisabled) {
  plugin_host::HostTable host("org.example.fake", "fake", {fixture_.clock, fixture_.log, nullptr});
  EXPECT_EQ(host.table()->metric(host.table(), KB_METRIC_COUNTER, to_view("hits"), to_view("")), kNoSeries);
}

TEST_F(HostTable, SurvivesANullHost) {
  table_.log(nullptr, KB_LOG_INFO, to_view("a.b"), to_view("x"));
  table_.metric_add(nullptr, 0, 1);
  table_.explain(nullptr, nullptr);
  EXPECT_EQ(table_.cancelled(nullptr), 0);
  EXPECT_EQ(table_.monotonic_ns(nullptr), 0u);
  EXPECT_EQ(table_.wall_ms(nullptr), 0);
  EXPECT_EQ(table_.metric(nullptr, KB_METRIC_COUNTER, to_view("hits"), to_view("")), kNoSeries);
  EXPECT_TRUE(fixture_.log.lines.empty());
}

}  // namespace
}  // namespace kbase::tests
