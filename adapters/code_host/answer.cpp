// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/answer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "domain/model/utf8.hpp"

namespace kbase::code_host {
namespace {

constexpr std::size_t kMaxTagBytes = 256;
constexpr std::size_t kMaxPathBytes = 2048;

/// Whether `text` is printable ASCII without spaces and not longer than `max_bytes`.
bool is_plain(std::string_view text, std::size_t max_bytes) {
  return text.size() <= max_bytes && model::utf8::graphic_ascii_length(text) == text.size();
}

/// Returns the "/path?query" of an absolute URL, or of a reference that starts with a single slash; empty: it is
/// neither.
std::string_view path_of(std::string_view reference) {
  if (const std::size_t scheme = reference.find("://"); reference.starts_with("http") && scheme <= 5)
    reference.remove_prefix(std::min(reference.find('/', scheme + 3), reference.size()));
  return is_path(reference) ? reference : std::string_view();
}

/// FNV-1a, 64 bits (RFC 9923). Detects changes; it does not protect against forgery.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

bool is_path(std::string_view text) {
  return text.starts_with('/') && !text.starts_with("//") && is_plain(text, kMaxPathBytes);
}

std::string_view Answer::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? std::string_view() : found->value;
}

std::string_view Answer::next_page() const {
  const std::string_view link = field("link");
  for (std::size_t open = link.find('<'); open != link.npos; open = link.find('<', open + 1)) {
    const std::size_t close = link.find('>', open);
    if (close == link.npos) return {};
    const std::string_view parameters = link.substr(close, link.find('<', close) - close);
    if (parameters.find("rel=\"next\"") != parameters.npos || parameters.find("rel=next") != parameters.npos)
      return path_of(link.substr(open + 1, close - open - 1));
  }
  return {};
}

std::string_view Answer::moved_to(std::string_view origin) const {
  constexpr std::array<std::uint32_t, 4> kMoved{301, 302, 307, 308};
  if (std::find(kMoved.begin(), kMoved.end(), status) == kMoved.end()) return {};
  std::string_view location = field("location");
  if (location.starts_with(origin)) location.remove_prefix(origin.size());
  return location.starts_with('/') ? path_of(location) : std::string_view();
}

std::string Answer::tag() const {
  const std::string_view etag = field("etag");
  const bool is_etag = etag.starts_with('"') || etag.starts_with("W/\"");
  if (status == kOk && is_etag && is_plain(etag, kMaxTagBytes)) return std::string(etag);
  std::array<char, 16> digits{};
  const std::uint64_t digest = digest_of(body) ^ status;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), digest, 16);
  return "#" + std::string(digits.data(), end);
}

}  // namespace kbase::code_host
