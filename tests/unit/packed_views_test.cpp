// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/packed_views.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kbase::usecases {
namespace {

using std::chrono::days;

model::Day day(int number) { return model::Day(days(number)); }

std::string text_of(const PackedViews& views) {
  std::string text;
  const auto visited = views.visit([&](std::string_view item, std::span<const ports::DayViews> each_day) {
    text.append(item).append(":");
    for (const ports::DayViews& each : each_day)
      text += " " + std::to_string(each.day.time_since_epoch().count()) + "=" + std::to_string(each.views);
    text += "\n";
    return Status();
  });
  EXPECT_TRUE(visited);
  return text;
}

TEST(PackedViews, AreReturnedInTheOrderOfTheirAddition) {
  PackedViews views;
  EXPECT_EQ(text_of(views), "");
  const ports::DayViews some[] = {{day(20'000), 1}, {day(20'001), 300}, {day(-5), 0}};
  const ports::DayViews most[] = {{day(std::numeric_limits<int>::max()), std::numeric_limits<std::uint64_t>::max()}};
  views.add("b", some);
  views.add("", {});
  views.add(std::string(256, 'x'), most);
  views.add("b", {});
  EXPECT_EQ(text_of(views),
            "b: 20000=1 20001=300 -5=0\n:\n" + std::string(256, 'x') + ": 2147483647=18446744073709551615\nb:\n");
}

TEST(PackedViews, MayBeMany) {
  constexpr int kItems = 200'000;  // several blocks
  PackedViews views;
  for (int i = 0; i < kItems; ++i) {
    const ports::DayViews one[] = {{day(i), static_cast<std::uint64_t>(i)}};
    views.add("item " + std::to_string(i), one);
  }
  int visited = 0;
  EXPECT_TRUE(views.visit([&](std::string_view item, std::span<const ports::DayViews> each_day) {
    EXPECT_EQ(item, "item " + std::to_string(visited));
    EXPECT_EQ(each_day[0].views, static_cast<std::uint64_t>(visited++));
    return Status();
  }));
  EXPECT_EQ(visited, kItems);
}

TEST(PackedViews, EndAtAnError) {
  PackedViews views;
  views.add("a", {});
  views.add("b", {});
  int visited = 0;
  const auto ended = views.visit([&](std::string_view, std::span<const ports::DayViews>) {
    ++visited;
    return Status(Error{ErrorCode::Unavailable, "full"});
  });
  EXPECT_EQ(ended.error().message, "full");
  EXPECT_EQ(visited, 1);
}

}  // namespace
}  // namespace kbase::usecases
