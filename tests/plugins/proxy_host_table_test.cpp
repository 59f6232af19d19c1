// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "domain/model/utf8.hpp"
#include "tests/plugins/host_world.hpp"

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
    return table_.metric(&table_, kind, lent(name), lent("What it counts."));
  }

  HostWorld world_;
  const kb_host& table_ = *world_.host.table();
};

TEST_F(HostTable, TellsWhatItIs) {
  EXPECT_EQ(table_.struct_size, sizeof(kb_host));
  EXPECT_EQ(table_.abi_minor, KB_ABI_MINOR);
  EXPECT_STREQ(table_.name, "kbase");
  EXPECT_STREQ(table_.version, "1.0.0");
}

TEST_F(HostTable, HasNoExtension) {
  EXPECT_EQ(table_.get_extension(&table_, "kbase.unheard_of/1"), nullptr);
  EXPECT_EQ(table_.get_extension(&table_, nullptr), nullptr);
}

TEST_F(HostTable, LogsUnderThePluginsId) {
  log(KB_LOG_WARNING, lent("store.opened"), lent("It is open."));
  ASSERT_EQ(world_.log.lines.size(), 1u);
  EXPECT_EQ(world_.log.lines[0].level, ports::LogLevel::Warning);
  EXPECT_EQ(world_.log.lines[0].event, "store.opened");
  EXPECT_EQ(world_.log.lines[0].message, "It is open.");
  EXPECT_EQ(world_.log.lines[0].plugin, "org.example.fake");
}

TEST_F(HostTable, TakesALevelItDoesNotKnowForTheNearest) {
  log(99, lent("a.b"), lent(""));
  log(-5, lent("a.b"), lent(""));
  ASSERT_EQ(world_.log.lines.size(), 2u);
  EXPECT_EQ(world_.log.lines[0].level, ports::LogLevel::Error);
  EXPECT_EQ(world_.log.lines[1].level, ports::LogLevel::Debug);
}

TEST_F(HostTable, GivesAnEventThatIsNoNameOne) {
  const std::string endless(65, 'a');
  for (const kb_view event : {lent(""), lent("a b"), lent("a\",\"level\":\"x"), lent(endless), kNowhere})
    log(KB_LOG_INFO, event, lent("x"));
  ASSERT_EQ(world_.log.lines.size(), 5u);
  for (const LogCopy::Line& line : world_.log.lines) EXPECT_EQ(line.event, "plugin.event");
}

TEST_F(HostTable, MendsAMessageThatIsNotUtf8) {
  log(KB_LOG_INFO, lent("a.b"), lent("caf\xE9!"));
  log(KB_LOG_INFO, lent("a.b"), kNowhere);
  ASSERT_EQ(world_.log.lines.size(), 2u);
  EXPECT_EQ(world_.log.lines[0].message, "caf\uFFFD!");
  EXPECT_EQ(world_.log.lines[1].message, "");
}

TEST_F(HostTable, CutsAHugeMessageBetweenCharacters) {
  std::string huge = "x";
  while (huge.size() < 100'000) huge += "\u20AC";
  log(KB_LOG_INFO, lent("a.b"), lent(huge));
  ASSERT_EQ(world_.log.lines.size(), 1u);
  const std::string& message = world_.log.lines[0].message;
  EXPECT_LE(message.size(), 4096u);
  EXPECT_GT(message.size(), 4000u);
  EXPECT_TRUE(model::utf8::is_valid(message));
}

TEST_F(HostTable, LendsTheServersClocks) {
  const std::uint64_t before = table_.monotonic_ns(&table_);
  EXPECT_EQ(table_.wall_ms(&table_), world_.clock.now().time_since_epoch().count());
  world_.clock.advance(milliseconds(1500));
  EXPECT_EQ(table_.monotonic_ns(&table_) - before, 1'500'000'000u);
  EXPECT_EQ(table_.wall_ms(&table_), world_.clock.now().time_since_epoch().count());
}

TEST_F(HostTable, LabelsSeriesWithThePluginsId) {
  const std::uint32_t hits = counter("hits");
  const std::uint32_t depth = gauge("depth");
  table_.metric_add(&table_, hits, 3);
  table_.metric_add(&table_, depth, 5);
  table_.metric_add(&table_, depth, -2);
  EXPECT_EQ(world_.stats.stats["kbase_plugin_hits_total{plugin=org.example.fake}"].value, 3);
  EXPECT_EQ(world_.stats.stats["kbase_plugin_depth{plugin=org.example.fake}"].value, 3);
}

TEST_F(HostTable, GivesTheSameNumberForTheSameName) {
  const std::uint32_t hits = counter("hits");
  EXPECT_NE(counter("misses"), hits);
  EXPECT_EQ(counter("hits"), hits);
}

TEST_F(HostTable, GivesNoSeriesToANameThatIsNone) {
  for (const std::string_view name : {"", "Hits", "hit rate", "hits-1", "h\xC3\xA9"})
    EXPECT_EQ(counter(name), kNoSeries);
  EXPECT_EQ(counter(std::string(65, 'a')), kNoSeries);
  EXPECT_EQ(table_.metric(&table_, KB_METRIC_COUNTER, kNowhere, kNowhere), kNoSeries);
  EXPECT_EQ(table_.metric(&table_, 7, lent("hits"), lent("")), kNoSeries);
  EXPECT_TRUE(world_.stats.stats.empty());
}

TEST_F(HostTable, NeverGivesOneNameToACounterAndAGauge) {
  EXPECT_NE(counter("hits_total"), kNoSeries);
  plugin_host::HostTable other("org.example.other", "other", {world_.clock, world_.log, &world_.stats});
  EXPECT_EQ(other.table()->metric(other.table(), KB_METRIC_GAUGE, lent("hits_total"), lent("")), kNoSeries);
  EXPECT_NE(other.table()->metric(other.table(), KB_METRIC_GAUGE, lent("hits"), lent("")), kNoSeries);
  EXPECT_EQ(world_.stats.stats.count("kbase_plugin_hits_total{plugin=org.example.fake}"), 1u);
  EXPECT_EQ(world_.stats.stats.count("kbase_plugin_hits{plugin=org.example.other}"), 1u);
}

TEST_F(HostTable, HasRoomForABoundedNumberOfSeries) {
  for (std::uint32_t i = 0; i < plugin_host::HostTable::kMaxSeries; ++i)
    EXPECT_NE(counter("series_" + std::to_string(i)), kNoSeries);
  EXPECT_EQ(counter("one_more"), kNoSeries);
  EXPECT_NE(counter("series_0"), kNoSeries);
}

TEST_F(HostTable, IgnoresAnAmountThatCanNotBeAdded) {
  const std::uint32_t hits = counter("hits");
  table_.metric_add(&table_, hits, -1);
  table_.metric_add(&table_, kNoSeries, 1);
  table_.metric_add(&table_, hits + 1, 1);
  EXPECT_EQ(world_.stats.stats["kbase_plugin_hits_total{plugin=org.example.fake}"].value, 0);
}

TEST_F(HostTable, GivesNoSeriesWhereNobodyReadsFigures) {
  plugin_host::HostTable host("org.example.fake", "fake", {world_.clock, world_.log, nullptr});
  EXPECT_EQ(host.table()->metric(host.table(), KB_METRIC_COUNTER, lent("hits"), lent("")), kNoSeries);
}

TEST_F(HostTable, SurvivesANullHost) {
  table_.log(nullptr, KB_LOG_INFO, lent("a.b"), lent("x"));
  table_.metric_add(nullptr, 0, 1);
  table_.explain(nullptr, nullptr);
  EXPECT_EQ(table_.cancelled(nullptr), 0);
  EXPECT_EQ(table_.monotonic_ns(nullptr), 0u);
  EXPECT_EQ(table_.wall_ms(nullptr), 0);
  EXPECT_EQ(table_.metric(nullptr, KB_METRIC_COUNTER, lent("hits"), lent("")), kNoSeries);
  EXPECT_TRUE(world_.log.lines.empty());
}

}  // namespace
}  // namespace kbase::tests
