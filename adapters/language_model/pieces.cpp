// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/pieces.hpp"

#include <algorithm>
#include <utility>

#include "domain/model/utf8.hpp"

namespace kbase::language_model {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Returns the length of the sequence that a lead byte starts; 0: it is not a lead byte.
std::size_t length_led_by(char lead) noexcept {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte >= 0xC2 && byte <= 0xDF) return 2;
  if (byte >= 0xE0 && byte <= 0xEF) return 3;
  return byte >= 0xF0 && byte <= 0xF4 ? 4 : 0;
}

/// Whether more bytes can complete a character of `text`.
bool may_go_on(std::string_view text) noexcept {
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  return text.size() < length_led_by(text.front()) && std::all_of(text.begin() + 1, text.end(), is_continuation);
}

}  // namespace

model::Visit Pieces::tell(std::string_view bytes) {
  if (cut_.empty() && model::utf8::is_valid(bytes)) return tell_whole(bytes);
  const std::string text = std::exchange(cut_, {}).append(bytes);
  std::string whole;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = model::utf8::sequence_length(rest);
    if (length == 0 && may_go_on(rest)) {
      cut_ = rest;
      break;
    }
    whole += length == 0 ? kReplacement : rest.substr(0, length);
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return tell_whole(whole);
}

model::Visit Pieces::finish() {
  return tell_whole(std::exchange(cut_, {}).empty() ? std::string_view() : kReplacement);
}

model::Visit Pieces::tell_whole(std::string_view text) {
  bytes_ += text.size();
  return text.empty() ? model::Visit::Continue : visitor_(text);
}

}  // namespace kbase::language_model
