// SPDX-License-Identifier: Apache-2.0
#include "app/config/formats.hpp"

#include <arpa/inet.h>
#include <algorithm>
#include <charconv>
#include <utility>

#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"
#include "domain/base/text.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/units.hpp"

namespace kbase::config {
namespace {

constexpr std::size_t kMaxNameBytes = 40;

/// Returns the length of the address in bits: 32 or 128; 0: not an address.
unsigned address_bits(const std::string& text) {
  in6_addr address{};
  if (::inet_pton(AF_INET, text.c_str(), &address) == 1) return 32;
  return ::inet_pton(AF_INET6, text.c_str(), &address) == 1 ? 128 : 0;
}

bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  const unsigned bits = address_bits(std::string(text.substr(0, slash)));
  if (slash == std::string_view::npos) return bits != 0;
  const std::string_view digits = text.substr(slash + 1);
  unsigned length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  return bits != 0 && error == std::errc() && end == digits.data() + digits.size() && length <= bits;
}

bool is_url_path(std::string_view text) {
  constexpr std::string_view kUnsafe = " \t\"#%<>?\\^`{|}";
  return text.starts_with('/') && (text.size() == 1 || !text.ends_with('/')) && text.find("//") == text.npos &&
         text.find_first_of(kUnsafe) == text.npos;
}

bool is_origin(std::string_view text) {
  if (text == "*") return true;
  const std::size_t host = text.find("://");
  return host != text.npos && host > 0 && host + 3 < text.size() && text.find_first_of("/?# ", host + 3) == text.npos;
}

/// An origin as serialized by a browser (Fetch standard, "serializing a request origin"): in lower case, without the
/// default port of its scheme.
bool is_page_origin(std::string_view text) {
  return text != "*" && is_origin(text) && text.find('@') == text.npos &&
         std::none_of(text.begin(), text.end(), ascii::is_upper) &&
         !(text.starts_with("http://") && text.ends_with(":80")) &&
         !(text.starts_with("https://") && text.ends_with(":443"));
}

/// Accepts also the empty text: no address.
bool is_base_url(std::string_view text) {
  return text.empty() ||
         (!text.starts_with('/') && model::is_page_address(text) && text.find_first_of("?#") == text.npos);
}

/// Whether it is an address without a path. The pages are at the root of their host.
bool is_site_url(std::string_view text) {
  const std::size_t authority = text.find("//") + 2;
  return is_base_url(text) && (text.empty() || text.find('/', authority) >= text.size() - 1);
}

bool is_color_or_empty(std::string_view text) {
  return text.empty() ||
         (text.size() == 7 && text.front() == '#' && text.find_first_not_of("0123456789abcdefABCDEF", 1) == text.npos);
}

/// Returns the authority of a proxy's URL (RFC 3986, section 3.2). Empty: another scheme.
std::string_view authority_of(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (text.starts_with(scheme)) return text.substr(scheme.size());
  return {};
}

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

/// URL of a back end such as a store. The back end's plugin checks the scheme and the rest.
bool is_server_url(std::string_view text) {
  const std::size_t scheme = text.find("://");
  return scheme != text.npos && scheme > 0 && scheme + 3 < text.size() && text.find_first_of(" \t\r\n") == text.npos &&
         credentials_of(text).find('/') == text.npos;
}

/// Accepts also the empty text: no proxy.
bool is_proxy_url(std::string_view text) {
  if (text.empty()) return true;
  std::string_view authority = authority_of(text);
  if (authority.ends_with('/')) authority.remove_suffix(1);
  const auto is_fit = [](char c) {
    return c > ' ' && c < '\x7f' && std::string_view("/?#\\").find(c) == std::string_view::npos;
  };
  if (!std::all_of(authority.begin(), authority.end(), is_fit)) return false;
  if (const std::size_t at = authority.find('@'); at != authority.npos) authority.remove_prefix(at + 1);
  if (authority.find('@') != authority.npos) return false;
  const std::size_t host =
      authority.starts_with('[') ? authority.find(']') + 1 : std::min(authority.find(':'), authority.size());
  return host != 0 && (host == authority.size() || (authority[host] == ':' && is_port(authority.substr(host + 1))));
}

/// One host, domain or network. libcurl receives a list of them, separated by commas.
bool is_no_proxy(std::string_view text) { return !text.empty() && text.find_first_of(", \t") == text.npos; }

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return ascii::is_lower(c) || ascii::is_digit(c) || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= kMaxNameBytes && ascii::is_lower(text.front()) &&
         std::all_of(text.begin(), text.end(), fits);
}

struct Format {
  std::string_view name;
  std::string_view expected;
  bool (*fits)(std::string_view text);
};

constexpr Format kFormats[] = {
    {"duration", "a duration such as 500ms, 10s, 5m, 24h or 90d",
     [](std::string_view text) { return model::parse_duration(text).has_value(); }},
    {"size", "a size such as 512 (bytes), 64KiB or 1MiB",
     [](std::string_view text) { return model::parse_size(text).has_value(); }},
    {"ip", "an IPv4 or IPv6 address", [](std::string_view text) { return address_bits(std::string(text)) != 0; }},
    {"cidr", "a network such as 10.0.0.0/8 or 2001:db8::/32, or an address", is_cidr},
    {"path", "a path", [](std::string_view text) { return !text.empty() && text.find('\0') == text.npos; }},
    {"url-path", "a path such as /api/v1, without a slash at its end", is_url_path},
    {"origin", "\"*\" or an origin such as https://docs.example.org", is_origin},
    {"page-origin",
     "an origin as browsers send it, such as https://docs.example.org: in lower case, without a path and without the "
     "default port",
     is_page_origin},
    {"base-url", "an address such as https://docs.example.org/manual", is_base_url},
    {"site-url", "an address without a path, such as https://docs.example.org", is_site_url},
    {"color", "a color such as \"#0b6457\"", is_color_or_empty},
    {"proxy-url", "a proxy such as http://proxy.example:3128, with USER:PASSWORD@ before the host if required",
     is_proxy_url},
    {"server-url", "a URL such as redis://HOST:6379, with USER:PASSWORD@ before the host if required", is_server_url},
    {"no-proxy", "a host, a domain, an address, a network such as 10.0.0.0/8, or \"*\"", is_no_proxy},
    {"name", "1 to 40 lower-case letters, digits, '-' and '_', starting with a letter", is_name},
    {"instant", "a time such as 2027-01-31T00:00:00Z",
     [](std::string_view text) { return model::parse_instant(text).has_value(); }},
    {"api-key",
     "a key as printed by `kbase keys create`: kb_ and 38 letters and digits, of which the last 6 are a checksum",
     model::is_key_text},
    {"sha256", "64 lower-case hexadecimal digits",
     [](std::string_view text) { return parse_sha256(text).has_value(); }},
};

}  // namespace

std::string_view format_defect(std::string_view format, std::string_view text) {
  for (const Format& known : kFormats)
    if (known.name == format) return known.fits(text) ? std::string_view() : known.expected;
  return {};
}

std::string_view credentials_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == url.npos) return {};
  const std::string_view rest = url.substr(scheme + 3);
  // Up to the last '@', so that an unescaped password is hidden too.
  const std::size_t end = rest.rfind('@');
  return end == rest.npos ? std::string_view() : rest.substr(0, end);
}

std::optional<std::array<std::uint8_t, 32>> parse_sha256(std::string_view text) {
  std::array<std::uint8_t, 32> bytes{};
  if (!parse_hex(text, bytes)) return std::nullopt;
  return bytes;
}

std::optional<std::uint64_t> quantity_of(std::string_view format, std::string_view text) {
  if (format == "size") return model::parse_size(text);
  if (format != "duration") return std::nullopt;
  const auto duration = model::parse_duration(text);
  if (!duration) return std::nullopt;
  return static_cast<std::uint64_t>(duration->count());
}

namespace {

constexpr std::string_view kOpen = "${";
constexpr std::string_view kLiteralOpen = "$${";
constexpr std::string_view kDefaultMark = ":-";
constexpr std::string_view kNameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/// Returns the value for the text between the braces.
Result<std::string> value_of(std::string_view inside, const Environment& environment) {
  const std::size_t mark = inside.find(kDefaultMark);
  const std::string name(inside.substr(0, mark));
  if (name.empty() || name.find_first_not_of(kNameCharacters) != std::string::npos)
    return invalid_argument(
        {}, "'" + name + "' is not a valid name of an environment variable (write '$${' for a literal '${')");
  auto value = environment(name);
  if (mark != std::string_view::npos && (!value || value->empty()))
    return std::string(inside.substr(mark + kDefaultMark.size()));
  if (!value) return invalid_argument({}, "the environment variable " + name + " is not set");
  if (!utf8::is_valid(*value)) return invalid_argument({}, "the environment variable " + name + " is not valid UTF-8");
  return *std::move(value);
}

}  // namespace

Result<std::optional<std::string>> expand(std::string_view text, const Environment& environment) {
  if (text.find(kOpen) == std::string_view::npos) return std::optional<std::string>();
  std::string expanded;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find(kOpen), text.size());
    if (open > 0 && text.substr(open - 1).starts_with(kLiteralOpen)) {
      expanded.append(text.substr(0, open - 1)).append(kOpen);
      text.remove_prefix(open + kOpen.size());
      continue;
    }
    expanded.append(text.substr(0, open));
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return invalid_argument({}, "'${' is not closed by '}'");
    auto value = KBASE_TRY(value_of(text.substr(kOpen.size(), close - kOpen.size()), environment));
    expanded += value;
    text.remove_prefix(close + 1);
  }
  return std::optional(std::move(expanded));
}

std::string without_expansion(std::string_view text) {
  std::string literal;
  for (std::size_t open = text.find(kOpen); open != std::string_view::npos; open = text.find(kOpen)) {
    literal.append(text.substr(0, open)).append(kLiteralOpen);
    text.remove_prefix(open + kOpen.size());
  }
  return literal.append(text);
}

}  // namespace kbase::config
