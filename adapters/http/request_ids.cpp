// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/request_ids.hpp"

#include <algorithm>
#include <array>

namespace kbase::http {
namespace {

constexpr std::size_t kMaxLength = 64;

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLength && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
           c == '-';
  });
}

}  // namespace

RequestIds::RequestIds(ports::Random& random) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  for (const std::uint8_t byte : bytes) (prefix_ += kDigits[byte >> 4]) += kDigits[byte & 15];
  prefix_ += '-';
}

std::string RequestIds::id_of(const Request& request) {
  const auto given = request.field("x-request-id");
  return given && is_id(*given) ? std::string(*given) : next();
}

std::string RequestIds::next() {
  return prefix_ + std::to_string(count_.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace kbase::http
