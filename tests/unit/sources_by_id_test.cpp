// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/sources_by_id.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kbase::tests {
namespace {

using usecases::SourcesById;

TEST(SourcesById, FindsAnIdTwiceInOneSourceAlone) {
  SourcesById ids;
  EXPECT_TRUE(ids.insert("a", 1));
  EXPECT_FALSE(ids.insert("a", 1));
  EXPECT_TRUE(ids.insert("a", 2));
  EXPECT_FALSE(ids.insert("a", 2));
  EXPECT_EQ(ids.size(), 1u);
}

TEST(SourcesById, AMentionedIdIsInNoSource) {
  SourcesById ids;
  ids.mention("a");
  EXPECT_TRUE(ids.contains("a"));
  EXPECT_TRUE(ids.insert("a", 1));
  ids.mention("a");
  EXPECT_FALSE(ids.insert("a", 1));
}

TEST(SourcesById, ARemovedIdIsNewAgain) {
  SourcesById ids;
  ids.insert("a", 1);
  ids.remove("a");
  ids.remove("b");
  EXPECT_FALSE(ids.contains("a"));
  EXPECT_EQ(ids.size(), 0u);
  EXPECT_TRUE(ids.insert("a", 1));
  EXPECT_EQ(ids.size(), 1u);
}

TEST(SourcesById, KeepsManyIdsOfAllLengths) {
  const auto id_of = [](unsigned number) { return std::string(number % 257, 'x') + std::to_string(number); };
  SourcesById ids;
  for (unsigned i = 0; i < 20'000; ++i) ASSERT_TRUE(ids.insert(id_of(i), 1)) << i;
  EXPECT_EQ(ids.size(), 20'000u);
  for (unsigned i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(ids.contains(id_of(i))) << i;
    ASSERT_FALSE(ids.insert(id_of(i), 1)) << i;
  }
  EXPECT_FALSE(ids.contains(id_of(20'000)));
  EXPECT_TRUE(ids.insert("", 1)) << "an empty text is one, too";
}

}  // namespace
}  // namespace kbase::tests
