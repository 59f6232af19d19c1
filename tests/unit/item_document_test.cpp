// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/item_document.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/plain_markup.hpp"

namespace kbase::tests {
namespace {

struct MadeDocument {
  std::string excerpt, text, sections;
};

MadeDocument document_of(std::string_view title, std::string_view content, std::string_view summary = {}) {
  model::ItemView item;
  item.title = title;
  item.content = content;
  item.summary = summary;
  usecases::ItemDocument document(kPlainMarkup);
  document.make(item);
  const model::ItemView stored = document.stored();
  MadeDocument made{std::string(stored.excerpt), std::string(document.indexed().content), {}};
  for (const std::string_view section : stored.sections) made.sections.append(section).append(";");
  EXPECT_EQ(stored.content, content);
  return made;
}

TEST(ItemDocument, HasTheTextOfTheContentAndItsSections) {
  const MadeDocument made = document_of("Title", "one\n# Two\nthree");
  EXPECT_EQ(made.text, "one\n# Two\nthree");
  EXPECT_EQ(made.excerpt, "one # Two three");
  EXPECT_EQ(made.sections, "1 4 to-0 Two;");
}

TEST(ItemDocument, BeginsWithTheSummaryUnlessTheContentDoes) {
  const MadeDocument made = document_of("Title", "one\n# Two\n", " A summary. ");
  EXPECT_EQ(made.text, "A summary.\none\n# Two\n");
  EXPECT_EQ(made.sections, "1 15 to-0 Two;");
  EXPECT_EQ(document_of("Title", "A summary. And more", "A summary.").text, "A summary. And more");
}

TEST(Section, IsOneTextThatReadsBack) {
  const model::Section section{3, "A heading with spaces", "an-anchor", 1234};
  EXPECT_EQ(model::encode_section(section), "3 1234 an-anchor A heading with spaces");
  EXPECT_EQ(model::decode_section(model::encode_section(section)), section);
  for (const char* text : {"", "3", "3 4", "3 4 a", "x 4 a b", "3 x a b", "-1 4 a b", "3 99999999999999999999999 a b"})
    EXPECT_EQ(model::decode_section(text), std::nullopt) << text;
}

TEST(Section, IsFoundByAPosition) {
  const std::vector<std::string_view> sections = {"1 0 a A", "2 10 b B", "not a section", "2 20 c C"};
  EXPECT_EQ(model::section_at(sections, 9)->anchor, "a");
  EXPECT_EQ(model::section_at(sections, 10)->anchor, "b");
  EXPECT_EQ(model::section_at(sections, 1000)->anchor, "c");
  EXPECT_EQ(model::section_at(std::span(sections).subspan(1), 9), std::nullopt);
}

}  // namespace
}  // namespace kbase::tests
