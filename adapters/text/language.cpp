// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/language.hpp"

#include <cld2/public/compact_lang_det.h>

#include <algorithm>
#include <array>

namespace kbase::text {
namespace {

// The codes that both libstemmer 2.2 and CLD2 use for a language. The order is not a storage format: stored data
// contain the codes.
constexpr std::array<std::string_view, kLanguages> kCodes = {
    "none", "ar", "ca", "da", "de", "el", "en", "es", "eu", "fi", "fr", "ga", "hi", "hu", "hy",
    "id",   "it", "lt", "ne", "nl", "no", "pt", "ro", "ru", "sr", "sv", "ta", "tr", "yi"};

constexpr std::size_t kDetectedBytes = 512;

/// Returns at most `count` bytes from the start of `text`, without cutting a UTF-8 sequence.
std::string_view head_of(std::string_view text, std::size_t count) {
  if (text.size() <= count) return text;
  while (count > 0 && (static_cast<unsigned char>(text[count]) & 0xC0u) == 0x80u) --count;
  return text.substr(0, count);
}

Language fallback_for(std::string_view text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii ? *language_named("en") : Language::None;
}

}  // namespace

std::optional<Language> language_named(std::string_view code) {
  const auto found = std::find(kCodes.begin(), kCodes.end(), code);
  if (found == kCodes.end()) return std::nullopt;
  return static_cast<Language>(found - kCodes.begin());
}

std::string_view name_of(Language language) {
  return kCodes[static_cast<std::size_t>(language)];
}

bool keeps_beginnings(Language language) {
  constexpr std::array<std::string_view, 7> kOthers = {"ar", "fi", "ga", "id", "sr", "tr", "yi"};
  return std::find(kOthers.begin(), kOthers.end(), name_of(language)) == kOthers.end();
}

Language detect_language(std::string_view title, std::string_view content) {
  const std::string_view head = head_of(content.empty() ? title : content, kDetectedBytes);
  // CLD2 reads some bytes beyond the end of its input, so it gets a padded copy.
  std::array<char, kDetectedBytes + 64> padded{};
  std::copy(head.begin(), head.end(), padded.begin());
  bool reliable = false;
  int valid_bytes = 0;
  const CLD2::Language found =
      CLD2::DetectLanguageCheckUTF8(padded.data(), static_cast<int>(head.size()), true, &reliable, &valid_bytes);
  if (!reliable || found == CLD2::UNKNOWN_LANGUAGE) return fallback_for(head);
  return language_named(CLD2::LanguageCode(found)).value_or(Language::None);
}

}  // namespace kbase::text
