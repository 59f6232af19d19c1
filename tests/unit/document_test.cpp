// SPDX-License-Identifier: Apache-2.0
#include "domain/model/document.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kbase::tests {
namespace {

std::string texts(std::string_view content, const std::vector<std::string_view>& sections) {
  std::string all;
  model::visit_section_texts(content, sections,
                             [&all](std::string_view text) { all.append("[").append(text).append("]"); });
  return all;
}

TEST(SectionTexts, DivideTheContent) {
  EXPECT_EQ(texts("before one two", {"1 7 one One", "2 11 two Two"}), "[before ][one ][two]");
  EXPECT_EQ(texts("one two", {"1 0 one One", "2 4 two Two"}), "[one ][two]");
  EXPECT_EQ(texts("no sections", {}), "[no sections]");
}

TEST(SectionTexts, AreAllOfTheContentIfTheSectionsAreOfAnotherOne) {
  EXPECT_EQ(texts("short", {"1 90 a A", "1 5 b B", "1 2 c C", "1 1 d D", "nothing", "1 x e E", "", "1 4 f F"}),
            "[sh][or][t]");
  EXPECT_EQ(texts("", {"1 0 a A"}), "[]");
}

}  // namespace
}  // namespace kbase::tests
