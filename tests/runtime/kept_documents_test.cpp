// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/kept_documents.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/counting_random.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::runtime {
namespace {

/// A plain markup that counts the documents it makes.
class CountingMarkup final : public ports::Markup {
 public:
  model::Document document(std::string_view content, model::Format format) const override {
    ++made;
    return tests::kPlainMarkup.document(content, format);
  }
  model::PageHead head(std::string_view html) const override { return tests::kPlainMarkup.head(html); }
  std::string main_part(std::string_view html, std::string_view address) const override {
    return tests::kPlainMarkup.main_part(html, address);
  }
  std::string line(std::string_view markdown) const override { return tests::kPlainMarkup.line(markdown); }

  mutable std::size_t made = 0;
};

class KeptDocumentsTest : public testing::Test {
 protected:
  void expect_document_of(const std::string& content) {
    const model::Document made = tests::kPlainMarkup.document(content, model::Format::Markdown);
    const model::Document kept = documents_.document(content, model::Format::Markdown);
    EXPECT_EQ(kept.text, made.text);
    EXPECT_EQ(kept.heading, made.heading);
    EXPECT_EQ(kept.sections, made.sections);
  }

  /// A content of about a kilobyte.
  static std::string content_of(std::size_t number) {
    return "# Part " + std::to_string(number) + "\n" + std::string(1000, static_cast<char>('a' + number % 26)) +
           "\n# End\n";
  }

  tests::TemporaryFolder folder_;
  tests::CountingRandom random_;
  CountingMarkup markup_;
  KeptDocuments documents_{markup_, random_, folder_.path()};
};

TEST_F(KeptDocumentsTest, MakesTheDocumentOfAContentOnce) {
  for (int time = 0; time < 3; ++time) {
    expect_document_of("# One\ntext\n# Two\nmore");
    expect_document_of("");
  }
  EXPECT_EQ(markup_.made, 2u);
}

TEST_F(KeptDocumentsTest, MakesADocumentForEachFormat) {
  documents_.document("text", model::Format::Markdown);
  documents_.document("text", model::Format::Html);
  EXPECT_EQ(markup_.made, 2u);
}

TEST_F(KeptDocumentsTest, ReadsDocumentsInAnyOrderFromItsFile) {
  constexpr std::size_t kDocuments = 3000;
  for (std::size_t i = 0; i < kDocuments; ++i) expect_document_of(content_of(i));
  for (std::size_t i = 0; i < kDocuments; ++i) expect_document_of(content_of(i));
  for (std::size_t i = kDocuments; i-- > 0;) expect_document_of(content_of(i));
  EXPECT_EQ(markup_.made, kDocuments);
}

TEST_F(KeptDocumentsTest, LeavesNoFileBehind) {
  expect_document_of(std::string(std::size_t{2} << 20, 'x'));
  expect_document_of("text");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(KeptDocumentsTest, MakesEachDocumentAgainWhereItCanKeepNone) {
  const KeptDocuments documents(markup_, random_, folder_.path() / "missing");
  EXPECT_EQ(documents.document("text", model::Format::Markdown).text, "text");
  EXPECT_EQ(documents.document("text", model::Format::Markdown).text, "text");
  EXPECT_EQ(markup_.made, 2u);
}

}  // namespace
}  // namespace kbase::runtime
