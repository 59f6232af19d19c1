// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "adapters/native_index/native_search_index.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/adapters/native_index/reference/random_comparison.hpp"

namespace kbase::tests {
namespace {

/// Uses files in memory and merges only on request.
class NativeIndex final : public IndexUnderTest {
 public:
  NativeIndex(std::string language, bool corrects_typos) {
    options_.path = "search";
    options_.language = std::move(language);
    options_.corrects_typos = corrects_typos;
    options_.merges = false;
    open();
  }

  ports::SearchIndex& port() override { return *index_; }
  bool reopen() override {
    index_.reset();
    open();
    return true;
  }
  std::optional<text::Language> language() const override { return text::find_language(options_.language); }
  ReferenceIndex::Stems stems() const override { return ReferenceIndex::Stems::Unmarked; }
  bool has_scores_of_reference() const override { return true; }
  Status merge() override {
    const auto merged = index_->merge_now();
    return merged ? Status() : merged.error();
  }

 private:
  void open() { index_ = native_index::NativeSearchIndex::open(options_, files_, clock, nullptr).value(); }

  FaultyFiles files_;
  native_index::Options options_;
  std::unique_ptr<native_index::NativeSearchIndex> index_;
};

class NativeComparison : public testing::TestWithParam<std::string> {
 protected:
  MakeIndex index(bool corrects_typos) const {
    return [language = GetParam(), corrects_typos] { return std::make_unique<NativeIndex>(language, corrects_typos); };
  }
};

TEST_P(NativeComparison, ReturnsTheResultsOfTheReference) {
  EXPECT_TRUE(answers_as_the_reference(index(false), KBASE_RANDOM_CASES));
}

TEST_P(NativeComparison, CorrectsLikeTheReference) {
  EXPECT_TRUE(answers_as_the_reference(index(true), KBASE_RANDOM_CASES / 2));
}

INSTANTIATE_TEST_SUITE_P(Languages, NativeComparison, testing::Values("auto", "en", "none"));

}  // namespace
}  // namespace kbase::tests
