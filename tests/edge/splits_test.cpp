// SPDX-License-Identifier: Apache-2.0
// The result of parsing depends only on the bytes, never on how they are split into reads.
#include <algorithm>

#include "tests/edge/edge_fixture.hpp"
#include "tests/edge/raw_cases.hpp"
#include "tests/edge/raw_exchange.hpp"
#include "tests/edge/reading.hpp"

namespace kbase::tests {
namespace {

/// Positions to cut at: every position; for many bytes, the first and last thousand positions and about 200 between
/// them.
std::vector<std::size_t> split_positions(std::size_t size) {
  constexpr std::size_t kEdge = 1000;
  constexpr std::size_t kBetween = 200;
  std::vector<std::size_t> positions;
  const std::size_t step = std::max<std::size_t>(1, size / kBetween);
  for (std::size_t cut = 0; cut <= size; cut += cut < kEdge || cut + kEdge >= size ? 1 : step) positions.push_back(cut);
  return positions;
}

TEST(EverySplit, GivesTheSameResultForEveryRawCase) {
  for (const RawCase& raw : all_raw_cases()) {
    const std::string text = raw.bytes();
    const std::string_view bytes = text;
    const Reading expected = read_pieces({bytes});
    for (const std::size_t cut : split_positions(bytes.size()))
      ASSERT_EQ(read_pieces({bytes.substr(0, cut), bytes.substr(cut)}), expected) << raw.name << ", cut at " << cut;
    ASSERT_EQ(read_singly(bytes), expected) << raw.name << ", byte by byte";
  }
}

TEST(EverySplit, GivesTheSameResultForTwoConsecutiveCases) {
  const RawCases cases = all_raw_cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string text = cases[i].bytes() + cases[(i * 7 + 3) % cases.size()].bytes();
    const std::string_view bytes = std::string_view(text).substr(0, 4000);
    const Reading expected = read_pieces({bytes});
    for (std::size_t cut = i % 3; cut <= bytes.size(); cut += 3)
      ASSERT_EQ(read_pieces({bytes.substr(0, cut), bytes.substr(cut)}), expected)
          << cases[i].name << ", cut at " << cut;
  }
}

/// Server for all cuts of one case. Its cases are short and do not depend on time.
class SplitOverTcp : public EdgeServer, public testing::WithParamInterface<RawCase> {};

TEST_P(SplitOverTcp, GetsTheSameResponses) {
  start();
  const RawCase& raw = GetParam();
  const std::size_t size = raw.bytes().size();
  for (std::size_t cut = 1; cut < size && !HasFailure(); ++cut) {
    SCOPED_TRACE("cut at " + std::to_string(cut));
    play(raw, server->port(), {}, [cut](const std::vector<std::string>& writes) {
      return std::vector<std::string>{writes[0].substr(0, cut), writes[0].substr(std::min(cut, writes[0].size()))};
    });
  }
}

TEST_P(SplitOverTcp, GetsTheSameResponsesByteByByte) {
  start();
  play(GetParam(), server->port(), {}, [](const std::vector<std::string>& writes) {
    std::vector<std::string> bytes;
    for (const char byte : writes[0]) bytes.emplace_back(1, byte);
    return bytes;
  });
}

/// Cases that are short, consist of one write and do not depend on time.
RawCases chosen() {
  RawCases all = all_raw_cases();
  std::erase_if(all, [](const RawCase& raw) {
    return raw.exchanges.size() != 1 || raw.exchanges[0].writes.size() != 1 || raw.bytes().size() > 200 ||
           raw.after == After::TimePasses;
  });
  RawCases few;
  for (std::size_t i = 0; i < all.size(); i += 8) few.push_back(all[i]);
  return few;
}

INSTANTIATE_TEST_SUITE_P(Edge, SplitOverTcp, testing::ValuesIn(chosen()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace kbase::tests
