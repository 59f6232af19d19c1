// SPDX-License-Identifier: Apache-2.0
// Parses random requests with kbase's parser and with llhttp. Both must accept or reject the same requests and read
// the same bodies, except for the known differences. KBASE_EDGE_DIFFERENTIAL sets the number of requests (200,000),
// KBASE_EDGE_SEED the random seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "adapters/http/syntax.hpp"
#include "domain/base/text.hpp"
#include "tests/edge/known_differences.hpp"
#include "tests/edge/llhttp_reading.hpp"
#include "tests/edge/mutation.hpp"
#include "tests/edge/raw_cases.hpp"

namespace kbase::tests {
namespace {

/// Whether a disagreement about keeping the connection open is known. kbase alone closes after CONNECT, because
/// tunnel data may follow it (RFC 9110 section 9.3.6). llhttp accepts Connection in trailers and Proxy-Connection as
/// the field (RFC 9110 section 6.5.1, RFC 9112 appendix C.2.2), misses "close" next to a "keep-alive" in HTTP/1.0
/// (RFC 9112 section 9.3), and misses either option before a tab (RFC 9110 section 5.5).
bool is_known_end(const std::string& bytes, const ReadRequest& ours) {
  const std::string lower = ascii::to_lower(bytes);
  const auto has = [&](const char* text) { return lower.find(text) != std::string::npos; };
  if (ours.keep_alive) return has("chunked") || has("proxy-connection") || has("keep-alive\t");
  return ours.method == "CONNECT" || (has("http/1.0") && has("keep-alive")) || has("close\t");
}

/// Removes, from both readings, everything after the first request that closes the connection in either of them, and
/// clears the keep_alive difference. Returns false if the parsers disagree about keep_alive for no known reason.
bool cut_at_close(Reading& ours, Reading& theirs, const std::string& bytes) {
  bool agree = true;
  for (std::size_t i = 0; i < std::min(ours.requests.size(), theirs.requests.size()); ++i) {
    const bool differ = ours.requests[i].keep_alive != theirs.requests[i].keep_alive;
    agree = agree && (!differ || is_known_end(bytes, ours.requests[i]));
    const bool closes = !ours.requests[i].keep_alive || !theirs.requests[i].keep_alive;
    ours.requests[i].keep_alive = theirs.requests[i].keep_alive = true;
    if (!closes) continue;
    for (Reading* reading : {&ours, &theirs}) {
      reading->requests.resize(i + 1);
      reading->is_refused = false;
    }
  }
  return agree;
}

bool starts_with(const Reading& longer, const Reading& shorter) {
  return longer.requests.size() >= shorter.requests.size() &&
         std::equal(shorter.requests.begin(), shorter.requests.end(), longer.requests.begin());
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Comparison {
 public:
  /// Whether the readings agree or differ in a known way.
  bool agree(const Reading& ours, const Reading& theirs, const std::string& bytes) {
    if (ours.requests == theirs.requests && ours.is_refused == theirs.is_refused) return true;
    const KnownDifference* difference = nullptr;
    if (ours.is_refused && starts_with(theirs, ours))
      difference = known_difference(only_we_refuse(), ours.why, bytes);
    else if (theirs.is_refused && starts_with(ours, theirs))
      difference = known_difference(only_llhttp_refuses(), theirs.why, bytes);
    if (difference == nullptr) return false;
    ++seen[difference->why];
    return true;
  }

  std::map<std::string, int> seen;
};

/// llhttp keeps the whole target; kbase keeps the part after the authority.
void drop_authorities(Reading& reading) {
  for (ReadRequest& request : reading.requests) {
    const std::size_t scheme = request.target.find("://");
    if (scheme == std::string::npos || request.target.front() == '/') continue;
    const std::size_t path = request.target.find_first_of("/?", scheme + 3);
    request.target.erase(0, std::min(path, request.target.size()));
  }
}

TEST(RandomRequests, AreParsedLikeLlhttp) {
  const std::uint64_t count = number_from("KBASE_EDGE_DIFFERENTIAL", 200'000);
  const std::uint64_t seed = number_from("KBASE_EDGE_SEED", 9112);
  std::vector<std::string> models;
  for (const RawCase& raw : all_raw_cases())
    if (raw.bytes().size() < 1000) models.push_back(raw.bytes());
  RequestMutator mutator(std::move(models), seed);
  Comparison comparison;
  std::uint64_t accepted = 0;
  std::set<std::string> failures;
  for (std::uint64_t i = 0; i < count && failures.size() < 20; ++i) {
    // The empty lines complete a request that mutation truncated.
    const std::string bytes = mutator.next() + "\r\n\r\n";
    Reading ours = read_pieces({bytes});
    Reading theirs = read_with_llhttp(bytes);
    drop_authorities(theirs);
    const bool agree_on_end = cut_at_close(ours, theirs, bytes);
    accepted += ours.is_refused ? 0 : 1;
    const bool agree = comparison.agree(ours, theirs, bytes) && agree_on_end;
    if (!agree && failures.insert(ours.why + theirs.why).second)
      ADD_FAILURE() << "number " << i << ":\n"
                    << testing::PrintToString(bytes) << "\nours:\n"
                    << testing::PrintToString(ours) << "\nllhttp's:\n"
                    << testing::PrintToString(theirs);
  }
  EXPECT_GT(accepted, count / 10) << "too few requests are valid for a useful comparison";
  for (const auto& [why, times] : comparison.seen) std::printf("%8d times: %s\n", times, why.c_str());
  std::printf("%8llu of %llu accepted\n", static_cast<unsigned long long>(accepted),
              static_cast<unsigned long long>(count));
}

}  // namespace
}  // namespace kbase::tests
