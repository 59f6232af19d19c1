// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/read_ahead_source.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/plain_markup.hpp"

namespace kbase::runtime {
namespace {

/// Returns the items "0", "1", ..., whose texts are freed after each visit, then an error if one is set.
class CountingSource final : public ports::ContentSource {
 public:
  explicit CountingSource(std::uint64_t count) : count_(count) {}

  std::string_view name() const override { return "counting"; }
  std::optional<double> progress() const override { return 0.5; }
  Status read(ports::Call&, Visitor<ports::ContentRecord> visitor) override {
    for (; passed < count_; ++passed) {
      std::string id = std::to_string(passed);
      std::string tag = "tag" + id;
      const std::string_view tags[] = {tag, "same"};
      ports::ItemRecord item;
      item.id = id;
      std::string content = "text of " + id;
      item.content = content;
      item.tags = tags;
      std::string member = "member" + id;
      const std::string_view ignored[] = {member};
      const Visit next = visitor({{"file", passed + 1}, item, {ignored, {}}});
      id.assign(id.size(), '?');
      content.assign(content.size(), '?');
      tag.assign(tag.size(), '?');
      member.assign(member.size(), '?');
      if (next == Visit::Stop) return {};
    }
    return outcome;
  }

  Status outcome;
  std::uint64_t passed = 0;

 private:
  std::uint64_t count_;
};

TEST(ReadAheadSource, GivesEveryRecordInOrder) {
  CountingSource source(10'000);
  PreparedMarkup markup(tests::kPlainMarkup);
  ReadAheadSource ahead(source, markup);
  ports::Call call;
  std::uint64_t seen = 0;
  ASSERT_TRUE(ahead.read(call, [&](const ports::ContentRecord& record) {
    const auto& item = std::get<ports::ItemRecord>(record.record);
    EXPECT_EQ(item.id, std::to_string(seen));
    EXPECT_EQ(item.tags[0], "tag" + std::to_string(seen));
    EXPECT_EQ(markup.document(item.content, model::Format::Markdown).text, "text of " + std::to_string(seen));
    EXPECT_EQ(markup.document("another", model::Format::Markdown).text, "another");
    EXPECT_EQ(record.unknown.ignored[0], "member" + std::to_string(seen));
    EXPECT_EQ(record.position.line, ++seen);
    return Visit::Continue;
  }));
  EXPECT_EQ(seen, 10'000U);
}

TEST(ReadAheadSource, ReturnsAnErrorAfterThePrecedingRecords) {
  CountingSource source(3);
  source.outcome = invalid_argument({}, "counting: it broke");
  PreparedMarkup markup(tests::kPlainMarkup);
  ReadAheadSource ahead(source, markup);
  ports::Call call;
  int seen = 0;
  const auto read = ahead.read(call, [&](const ports::ContentRecord&) {
    ++seen;
    return Visit::Continue;
  });
  EXPECT_EQ(seen, 3);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "counting: it broke");
}

TEST(ReadAheadSource, StopsReadingSoonAfterTheVisitorStops) {
  CountingSource source(1'000'000);
  PreparedMarkup markup(tests::kPlainMarkup);
  ReadAheadSource ahead(source, markup);
  ports::Call call;
  EXPECT_TRUE(ahead.read(call, [](const ports::ContentRecord&) { return Visit::Stop; }));
  EXPECT_LT(source.passed, 10'000U);
}

TEST(ReadAheadSource, EndsAtOnceForAnEmptySource) {
  CountingSource source(0);
  PreparedMarkup markup(tests::kPlainMarkup);
  ReadAheadSource ahead(source, markup);
  ports::Call call;
  EXPECT_TRUE(ahead.read(call, [](const ports::ContentRecord&) { return Visit::Continue; }));
}

}  // namespace
}  // namespace kbase::runtime
