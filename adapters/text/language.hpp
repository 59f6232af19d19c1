// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kbase::text {

/// A language that has a stemmer, or None: every other one, whose words are compared as they are.
enum class Language : std::uint8_t { None = 0 };

inline constexpr std::size_t kLanguages = 29;  ///< None and the 28 of Snowball, so that a Language is a table's index

/// By its ISO 639-1 code ("en"), or "none"; nullopt: no stemmer for it.
std::optional<Language> language_named(std::string_view code);

/// The ISO 639-1 code, or "none". Lasts for ever.
std::string_view name_of(Language language);

/// Whether a word of ASCII letters and its stem begin with the same two bytes, i and y taken for one, or the stem is a
/// single byte that the word begins with: some stemmers take prefixes, mutations and double letters off.
bool keeps_beginnings(Language language);

/// The language an item's words are stemmed in, guessed by CLD2 from the first 512 bytes of its content (or its title,
/// where it has no content). Where CLD2 is not sure (short texts, lists of names, program code) ASCII counts as
/// English, whose stemmer does the least harm to such words, and anything else stays unstemmed. Any bytes; any thread.
Language detect_language(std::string_view title, std::string_view content);

}  // namespace kbase::text
