// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "adapters/vectors/fusion.hpp"

namespace kbase::tests {
namespace {

using vectors::fuse;
using vectors::FusedOrder;
using vectors::QueryVector;
using vectors::WordMatch;

using Order = std::vector<std::size_t>;
using Integers = std::vector<std::int8_t>;

const Integers kEast = {100, 0}, kNorthEast = {50, 50}, kNorth = {0, 90}, kWest = {-100, 0};

QueryVector east(double coverage = 1) { return {{1, 0}, coverage}; }

/// Matches of nearly equal relevance. The last one is closest to the east.
std::vector<WordMatch> close_matches() {
  std::vector<WordMatch> matches(10, {0.95, kNorth});
  matches.front() = {1, kNorth};
  matches.back() = {0.94, kEast};
  return matches;
}

TEST(Fusion, PutsTheClosestOfEquallyRelevantMatchesFirst) {
  const std::vector<WordMatch> matches = {{1, kWest}, {1, kEast}, {1, kNorthEast}};
  EXPECT_EQ(fuse(matches, east()).order, Order({1, 2, 0}));
}

TEST(Fusion, FollowsTheWordsWhereTheyDecide) {
  const std::vector<WordMatch> matches = {{1, kNorth}, {0.2, kEast}, {0.1, kWest}};
  EXPECT_EQ(fuse(matches, east()).order, Order({0, 1, 2}));
}

TEST(Fusion, FollowsTheMeaningWhereTheWordsDoNotDecide) {
  const auto matches = close_matches();
  EXPECT_EQ(fuse(matches, east()).order.front(), 9U);
}

TEST(Fusion, FollowsTheWordsOfAQueryWhoseVectorStandsForFewOfThem) {
  const auto matches = close_matches();
  EXPECT_EQ(fuse(matches, east(0.2)).order.front(), 0U);
  EXPECT_EQ(fuse(matches, east(0)).order, Order({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(Fusion, ComparesTheClosestSectionOfAnItem) {
  const Integers sections = {-100, 0, 100, 0, 0, 100};
  const std::vector<WordMatch> matches = {{1, kNorth}, {1, sections}};
  EXPECT_EQ(fuse(matches, east()).order, Order({1, 0}));
}

TEST(Fusion, ComparesDirectionsWhateverTheLengths) {
  const Integers shorter = {4, 0};
  const std::vector<WordMatch> matches = {{1, kNorthEast}, {1, shorter}};
  EXPECT_EQ(fuse(matches, east()).order, Order({1, 0}));
}

TEST(Fusion, KeepsThePlaceOfAMatchWithoutVector) {
  const std::vector<WordMatch> matches = {{1, {}}, {0.9, kEast}, {0.8, {}}, {0.7, kWest}};
  EXPECT_EQ(fuse(matches, east()).order, Order({0, 1, 2, 3}));
  const std::vector<WordMatch> none = {{1, {}}, {0.9, {}}};
  EXPECT_EQ(fuse(none, east()).order, Order({0, 1}));
}

TEST(Fusion, KeepsTheOrderByWordsOfTies) {
  const std::vector<WordMatch> matches(5, {1, kEast});
  EXPECT_EQ(fuse(matches, east()).order, Order({0, 1, 2, 3, 4}));
}

TEST(Fusion, MovesTheQueryTowardsTheBestMatches) {
  const std::vector<WordMatch> matches = {{1, kNorth}, {0.5, kWest}};
  const auto moved = fuse(matches, east()).query;
  EXPECT_NEAR(std::inner_product(moved.begin(), moved.end(), moved.begin(), 0.0F), 1, 1e-5);
  EXPECT_GT(moved[1], 0.5F);
}

TEST(Fusion, LeavesTheQueryAsItIsWithoutVectors) {
  EXPECT_EQ(fuse({}, east()).query, east().values);
  EXPECT_EQ(fuse({}, east()).order, Order());
  const Integers zero = {0, 0};
  const std::vector<WordMatch> matches = {{1, zero}};
  EXPECT_EQ(fuse(matches, east()).query, east().values);
  EXPECT_EQ(fuse(matches, east()).order, Order({0}));
}

}  // namespace
}  // namespace kbase::tests
