// SPDX-License-Identifier: Apache-2.0
// `kbase import` of invalid content: message, exit code, and no lost or partly written data. Manual:
// docs/content/bad-records.md and validation.md.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

constexpr const char* kGood = R"({"id":"good","title":"Good","category":"c"})";

struct BadLine {
  const char* name;
  std::string text;
};

void PrintTo(const BadLine& line, std::ostream* out) { *out << line.name; }

class BadLineTest : public testing::TestWithParam<BadLine> {
 protected:
  KnowledgeBase base_{Storage::Sqlite};

  /// File with the bad record in its second line.
  std::filesystem::path file() const {
    return base_.write("bad.jsonl", std::string(kGood) + "\n" + GetParam().text + "\n" +
                                        R"({"id":"also good","title":"","category":"c"})" + "\n");
  }
};

TEST_P(BadLineTest, IsReportedWithFileAndLineAndItsSourceIsNotCommitted) {
  const std::string before = base_.exported();
  const std::filesystem::path bad = file();
  const Outcome outcome = base_.run({"import", bad.string()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  EXPECT_NE(outcome.errors.find("bad.jsonl:2: "), std::string::npos) << outcome.errors;
  EXPECT_EQ(base_.exported(), before);
}

TEST_P(BadLineTest, IsSkippedAndReportedUnderSkip) {
  const std::filesystem::path bad = file();
  const std::filesystem::path rejects = base_.folder() / "rejects.jsonl";
  const Outcome outcome = base_.run({"import", "--on-error", "skip", "--rejects", rejects.string(), bad.string()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  EXPECT_NE(outcome.errors.find("bad.jsonl:2: "), std::string::npos) << outcome.errors;
  std::ifstream in(rejects, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), GetParam().text + "\n");
  const std::string exported = base_.exported();
  EXPECT_NE(exported.find("\"good\""), std::string::npos) << exported;
  EXPECT_NE(exported.find("\"also good\""), std::string::npos) << exported;
}

TEST(Rejects, HaveTheLinesOfAnotherSource) {
  KnowledgeBase base(Storage::Sqlite);
  const std::string item = R"({"id":"a","title":"T","category":"c"})";
  const std::string synonyms = R"({"type":"synonyms","words":["k8s","kube"]})";
  const std::string file = base.write("content.jsonl", item + "\n" + synonyms + "\n").string();
  ASSERT_EQ(base.run({"import", "--source", "docs", file}).exit_code, 0);
  const std::string rejects = (base.folder() / "rejects.jsonl").string();
  const Outcome outcome = base.run({"import", "--source", "faq", "--on-error", "skip", "--rejects", rejects, file});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  std::ifstream in(rejects, std::ios::binary);
  const std::string lines(std::istreambuf_iterator<char>(in), {});
  EXPECT_TRUE(lines == item + "\n" + synonyms + "\n" || lines == synonyms + "\n" + item + "\n") << lines;
}

std::string item_with(const std::string& member) { return R"({"id":"bad","title":"T","category":"c",)" + member + "}"; }

INSTANTIATE_TEST_SUITE_P(
    Import, BadLineTest,
    testing::Values(BadLine{"NotJson", "{\"id\":\"bad\","}, BadLine{"PlainText", "hello"}, BadLine{"AnArray", "[1,2]"},
                    BadLine{"ANumber", "7"}, BadLine{"TwoDocuments", std::string(kGood) + kGood},
                    BadLine{"NoId", R"({"title":"T","category":"c"})"},
                    BadLine{"NoTitle", R"({"id":"bad","category":"c"})"},
                    BadLine{"NoCategory", R"({"id":"bad","title":"T"})"},
                    BadLine{"FractionAsId", R"({"id":5.5,"title":"T","category":"c"})"},
                    BadLine{"NullTitle", R"({"id":"bad","title":null,"category":"c"})"},
                    BadLine{"EmptyId", R"({"id":"","title":"T","category":"c"})"},
                    BadLine{"DotsAsId", R"({"id":"..","title":"T","category":"c"})"},
                    BadLine{"ControlCharacterInId", R"({"id":"a\u0007b","title":"T","category":"c"})"},
                    BadLine{"LongId", R"({"id":")" + std::string(257, 'x') + R"(","title":"T","category":"c"})"},
                    BadLine{"EmptyCategory", R"({"id":"bad","title":"T","category":""})"},
                    BadLine{"ContentOfAnotherType", item_with(R"("content":7)")},
                    BadLine{"TagsOfAnotherType", item_with(R"("tags":{"one":1})")},
                    BadLine{"ATagOfAnotherType", item_with(R"("tags":["one",2])")},
                    BadLine{"RelatedOfAnotherType", item_with(R"("related":{})")},
                    BadLine{"MetadataOfAnotherType", item_with(R"("metadata":[])")},
                    BadLine{"ADayThatDoesNotExist", item_with(R"("metadata":{"created":"2023-02-29"})")},
                    BadLine{"ADateOfAnotherForm", item_with(R"("metadata":{"updated":"1 May 2024"})")},
                    BadLine{"NegativeViews", item_with(R"("metadata":{"views":-1})")},
                    BadLine{"FractionalViews", item_with(R"("metadata":{"views":1.5})")},
                    BadLine{"ViewsAsText", item_with(R"("metadata":{"views":"12"})")},
                    BadLine{"ALoneSurrogate", item_with(R"("content":"\ud800")")},
                    BadLine{"InvalidUtf8", item_with("\"content\":\"\xC3\x28\"")},
                    BadLine{"AnUnknownType", R"({"type":"song","id":"bad"})"},
                    BadLine{"MuchFurtherMetadata",
                            item_with(R"("metadata":{"more":")" + std::string(17 * 1024, 'x') + "\"}")},
                    BadLine{"ACategoryWithoutId", R"({"type":"category","name":"N"})"},
                    BadLine{"ActivityOfABadDay", R"({"type":"activity","item":"good","days":{"2024-13-01":1}})"},
                    BadLine{"ADeletionWithoutId", R"({"type":"delete"})"}),
    [](const testing::TestParamInfo<BadLine>& bad) { return bad.param.name; });

class BadSourceTest : public testing::Test {
 protected:
  KnowledgeBase base_{Storage::Sqlite, fixture_corpus_file()};
  std::string before_ = base_.exported();

  /// Expects that the import fails, names the file and changes nothing.
  void expect_refused(const std::filesystem::path& source) {
    const Outcome outcome = base_.run({"import", source.string()});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
    EXPECT_NE(outcome.errors.find(source.filename().string()), std::string::npos) << outcome.errors;
    EXPECT_LT(outcome.errors.size(), 2000U) << outcome.errors.substr(0, 2000);
    EXPECT_EQ(base_.exported(), before_);
  }
};

TEST_F(BadSourceTest, IsReportedIfMissing) { expect_refused(base_.folder() / "no-such-file.jsonl"); }

TEST_F(BadSourceTest, IsReportedIfItsFormatIsUnknown) { expect_refused(base_.write("picture.png", "\x89PNG")); }

TEST_F(BadSourceTest, IsReportedIfItsArchiveIsCorrupt) {
  expect_refused(base_.write("plain.jsonl.gz", std::string(kGood) + "\n"));
  expect_refused(base_.write("empty.jsonl.gz", ""));
  // Valid gzip header, then one truncated stored block.
  expect_refused(
      base_.write("cut.jsonl.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x40\0\xbf\xff", 15) + kGood));
}

TEST_F(BadSourceTest, IsReportedIfItsJsonIsTruncated) {
  expect_refused(base_.write("cut.json", "[" + std::string(kGood) + ","));
}

TEST_F(BadSourceTest, IsReportedIfALineHasAHundredMebibytes) {
  const std::string huge =
      R"({"id":"huge","title":"T","category":"c","content":")" + std::string(100 << 20, 'x') + "\"}\n";
  const std::filesystem::path file = base_.write("huge.jsonl", std::string(kGood) + "\n" + huge + kGood + "\n");
  expect_refused(file);
  const Outcome skipped = base_.run({"import", "--on-error", "skip", file.string()});
  EXPECT_EQ(skipped.exit_code, 1);
  EXPECT_NE(skipped.errors.find("huge.jsonl:2: "), std::string::npos) << skipped.errors.substr(0, 2000);
  EXPECT_NE(base_.exported().find("\"good\""), std::string::npos);
}

TEST_F(BadSourceTest, KeepsTheSourcesBeforeIt) {
  const auto good = base_.write("good.jsonl", std::string(kGood) + "\n");
  const auto bad = base_.write("bad.jsonl", "nonsense\n");
  EXPECT_EQ(base_.run({"import", good.string(), bad.string()}).exit_code, 1);
  EXPECT_NE(base_.exported().find("\"good\""), std::string::npos);
}

TEST_F(BadSourceTest, IsReportedIfNoSourceIsGiven) {
  EXPECT_EQ(base_.run({"import"}).exit_code, 2);
  EXPECT_EQ(base_.run({"import", "--on-error", "ignore", fixture_corpus_file().string()}).exit_code, 2);
  EXPECT_EQ(base_.exported(), before_);
}

}  // namespace
}  // namespace kbase::tests
