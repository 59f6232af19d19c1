// SPDX-License-Identifier: Apache-2.0
#include "domain/model/day.hpp"

#include <gtest/gtest.h>

namespace kbase::model {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

TEST(Days, AreParsedAndFormattedAsYearMonthDay) {
  ASSERT_TRUE(parse_day("2026-03-14"));
  EXPECT_EQ(*parse_day("2026-03-14"), sys_days(2026y / 3 / 14));
  for (const char* text : {"0000-01-01", "0001-12-31", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"}) {
    ASSERT_TRUE(parse_day(text)) << text;
    EXPECT_EQ(format_day(*parse_day(text)), text);
  }
}

TEST(Days, KnowTheLengthOfMonthsAndLeapYears) {
  for (const char* text : {"2026-02-29", "1900-02-29", "2026-04-31", "2026-00-10", "2026-13-01", "2026-01-00"})
    EXPECT_FALSE(parse_day(text)) << text;
  EXPECT_TRUE(parse_day("2000-02-29"));
}

TEST(Days, RejectEveryOtherForm) {
  for (const char* text : {"", "2026-3-14", "2026/03/14", "20260314", "2026-03-14 ", " 2026-03-14", "2026-03-14T",
                           "+026-03-14", "-026-03-14", "2026-+3-14", "2026-03-1x", "２026-03-14", "02026-03-14"})
    EXPECT_FALSE(parse_day(text)) << text;
}

TEST(Instants, AreParsedAndFormattedToTheSecondInUtc) {
  const auto instant = parse_instant("2027-01-31T23:59:58Z");
  ASSERT_TRUE(instant);
  EXPECT_EQ(*instant, Instant(sys_days(2027y / 1 / 31)) + 23h + 59min + 58s);
  EXPECT_EQ(format_instant(*instant), "2027-01-31T23:59:58Z");
}

TEST(Instants, AreTruncatedToTheSecond) {
  EXPECT_EQ(format_instant(Instant(sys_days(2026y / 3 / 14)) + 999ms), "2026-03-14T00:00:00Z");
  EXPECT_EQ(format_instant(Instant(sys_days(1970y / 1 / 1)) - 1ms), "1969-12-31T23:59:59Z");
}

TEST(Instants, RejectEveryOtherForm) {
  for (const char* text :
       {"", "2027-01-31", "2027-01-31T23:59:58", "2027-01-31 23:59:58Z", "2027-01-31T23:59:58z", "2027-01-31T24:00:00Z",
        "2027-01-31T23:60:00Z", "2027-01-31T23:59:60Z", "2027-01-31T23:59:5-Z", "2027-02-31T23:59:58Z",
        "2027-01-31T23:59:58.5Z", "2027-01-31T23:59:58+00:00", "2027-01-31T23-59-58Z"})
    EXPECT_FALSE(parse_instant(text)) << text;
}

TEST(Instants, FallOnTheUtcDayThatContainsThem) {
  EXPECT_EQ(day_of(Instant(sys_days(2026y / 3 / 14)) + 24h - 1ms), sys_days(2026y / 3 / 14));
  EXPECT_EQ(day_of(Instant(sys_days(2026y / 3 / 14)) + 24h), sys_days(2026y / 3 / 15));
  EXPECT_EQ(day_of(Instant(sys_days(1970y / 1 / 1)) - 1ms), sys_days(1969y / 12 / 31));
}

TEST(Instants, HaveTheirNextMidnightInTheFuture) {
  const Instant leap_day = sys_days(2028y / 2 / 29);
  EXPECT_EQ(next_midnight(leap_day), leap_day + 24h);
  EXPECT_EQ(next_midnight(leap_day - 1ms), leap_day);
  EXPECT_EQ(next_midnight(leap_day + 24h - 1ms), leap_day + 24h);
}

}  // namespace
}  // namespace kbase::model
