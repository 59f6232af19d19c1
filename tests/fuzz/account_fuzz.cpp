// SPDX-License-Identifier: Apache-2.0
// Any text is an address, a cookie or the rules of a member map, or is rejected. An accepted address cannot end a line
// of a mail, and stays the same if it is read again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "adapters/content/member_map.hpp"
#include "adapters/http/cookies.hpp"
#include "adapters/idn/domain_names.hpp"
#include "domain/model/account.hpp"

namespace kbase {
namespace {

void check_address(std::string_view text) {
  const auto email = model::parse_email(text);
  if (!email) return;
  const auto domain = idn::DomainNames().to_ascii(email->domain);
  if (!domain) return;
  const std::string address = std::string(email->local) + '@' + *domain;
  const auto is_printable = [](char c) { return c > ' ' && c < 0x7F; };
  if (address.size() > model::kMaxEmailBytes) return;  // the domain is longer in ASCII; such an address is refused
  if (!std::all_of(address.begin(), address.end(), is_printable)) std::abort();
  const auto again = model::parse_email(address);
  if (!again || again->local != email->local || idn::DomainNames().to_ascii(again->domain) != domain) std::abort();
}

void check_cookie(std::string_view text) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nCookie: " + std::string(text) + "\r\n\r\n";
  http::RequestParser parser({}, nullptr);
  parser.feed(head);
  if (parser.state() != http::RequestParser::State::Complete) return;
  const auto value = http::find_cookie(parser.request(), "kbase_session");
  if (value && text.find(*value) == std::string_view::npos) std::abort();
}

void check_map(std::string_view text) {
  const auto map = content::MemberMap::parse({std::string(text)});
  if (!map && map.error().message.empty()) std::abort();
}

}  // namespace
}  // namespace kbase

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 3) {
    case 0: kbase::check_address(text); break;
    case 1: kbase::check_cookie(text); break;
    default: kbase::check_map(text);
  }
  return 0;
}
