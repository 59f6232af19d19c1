// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kbase::text {

/// A language with a stemmer, or None: words of all other languages are not stemmed.
enum class Language : std::uint8_t { None = 0 };

inline constexpr std::size_t kLanguages = 29;  ///< None and the 28 languages of Snowball

/// Returns the language of an ISO 639-1 code ("en") or "none"; nullopt if there is no stemmer for it.
std::optional<Language> language_named(std::string_view code);

/// Returns the ISO 639-1 code, or "none". The text has static lifetime.
std::string_view name_of(Language language);

/// Returns whether the stemmer preserves prefixes: a word of ASCII letters and its stem share their first two bytes (i
/// and y count as equal), or the stem is the first byte of the word. Some stemmers remove prefixes, mutations or double
/// letters.
bool keeps_beginnings(Language language);

/// Returns the language whose stemmer is used for an item, detected by CLD2 from the first 512 bytes of the content, or
/// of the title if the content is empty. If CLD2 is not sure (short texts, lists of names, program code), ASCII text
/// counts as English, whose stemmer does the least harm to such words, and other text is not stemmed. Accepts any
/// bytes. Thread-safe.
Language detect_language(std::string_view title, std::string_view content);

}  // namespace kbase::text
