// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "adapters/native_index/segments/segment.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using native_index::ListWriter;
using native_index::SectionFileWriter;

constexpr std::uint64_t kMaxOffset = 1'000;

class WritingLists : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(succeeded(lists.begin())); }

  /// Adds a term that occurs in `documents` documents, at one position each.
  Status add(std::string_view term, std::uint32_t documents) {
    constexpr std::array<std::uint32_t, 1> kPositions{0};
    for (std::uint32_t document = 0; document < documents; ++document) {
      lists.postings().add(document, 1, kPositions);
      lists.words().add(true);
    }
    return lists.end_term(term);
  }

  FaultyFiles files;
  SectionFileWriter file = *SectionFileWriter::create(files, "f/segment", 1);
  ListWriter lists{file, kMaxOffset};
};

TEST_F(WritingLists, FailsIfThePositionsOfAListExceedTheOffsetsOfTheFormat) {
  EXPECT_TRUE(succeeded(add("a", 400)));
  const Status added = add("b", 3'000);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::Unsupported);
}

TEST_F(WritingLists, FailsIfTheTermsExceedTheOffsetsOfTheFormat) {
  Status added;
  int term = 10'000;
  for (; added && term < 11'000; ++term) added = add(std::to_string(term), 1);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace kbase::tests
