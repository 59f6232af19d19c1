// SPDX-License-Identifier: Apache-2.0
// Any bytes have exactly one reading. It does not depend on where they are split, and every accepted request is read
// the same from its own bytes alone and from its canonical form. The input's first byte selects the split.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/edge/reading.hpp"

namespace kbase::tests {
namespace {

constexpr http::MessageLimits kLimits{300, 400, 8, 200};

void require(bool held) {
  if (!held) std::abort();
}

/// Returns the request in canonical form.
std::string canonical(const ReadRequest& request) {
  return request.method + " " + request.target + " HTTP/1.1\r\nHost:\r\n" +
         (request.keep_alive ? "" : "Connection: close\r\n") +
         "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" + request.body;
}

void require_one(const Reading& reading, const ReadRequest& request) {
  require(reading.requests.size() == 1 && reading.requests.front() == request);
  require(!reading.is_refused && reading.is_between);
}

/// Requires that each request's bytes parse to that request alone, and that no prefix of them is a complete request.
void require_own_bytes(std::string_view bytes) {
  http::RequestParser parser(kLimits);
  while (!bytes.empty()) {
    const std::size_t taken = parser.feed(bytes);
    if (parser.state() != http::RequestParser::State::Complete) return;
    const ReadRequest request{std::string(parser.request().method()), std::string(parser.request().target()),
                              parser.request().body(), parser.request().keep_alive()};
    require_one(read_pieces({bytes.substr(0, taken)}, kLimits), request);
    require(read_pieces({bytes.substr(0, taken - 1)}, kLimits).requests.empty());
    // An absolute form may have no path, and no origin form can express that.
    if (request.target.starts_with('/')) require_one(read_pieces({canonical(request)}), request);
    bytes.remove_prefix(taken);
    parser.next();
  }
}

}  // namespace
}  // namespace kbase::tests

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase::tests;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Reading whole = read_pieces({bytes}, kLimits);
  const std::size_t cut = bytes.empty() ? 0 : data[0] % bytes.size();
  require(read_pieces({bytes.substr(0, cut), bytes.substr(cut)}, kLimits) == whole);
  require(read_singly(bytes, kLimits) == whole);
  require_own_bytes(bytes);
  return 0;
}
