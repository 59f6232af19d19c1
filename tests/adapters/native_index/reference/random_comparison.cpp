// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/reference/random_comparison.hpp"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "tests/adapters/native_index/reference/comparison.hpp"
#include "tests/adapters/native_index/reference/shrinking.hpp"

namespace kbase::tests {
namespace {

constexpr std::uint64_t kFirstSeed = 1;

std::uint64_t setting(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  const std::string_view digits(text);
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size())
    throw std::invalid_argument(std::string(variable) + " must be a number, not " + text);
  return value;
}

testing::AssertionResult failure(const MakeIndex& make, const History& history, std::uint64_t seed) {
  const History smallest =
      shrunk(history, [&make](const History& each) { return first_difference(make, each).has_value(); });
  return testing::AssertionFailure() << "the index and the reference differ. To repeat: KBASE_RANDOM_SEED=" << seed
                                     << " KBASE_RANDOM_CASES=1\n"
                                     << describe(smallest)
                                     << first_difference(make, smallest).value_or("the difference comes and goes");
}

}  // namespace

testing::AssertionResult answers_as_the_reference(const MakeIndex& make, std::uint64_t cases) {
  cases = setting("KBASE_RANDOM_CASES", cases);
  std::uint64_t done = 0;
  for (std::uint64_t seed = setting("KBASE_RANDOM_SEED", kFirstSeed); done < cases; ++seed) {
    const History history = random_history(seed);
    if (first_difference(make, history)) return failure(make, history, seed);
    done += searches_in(history);
  }
  return testing::AssertionSuccess();
}

}  // namespace kbase::tests
