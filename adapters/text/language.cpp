// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/language.hpp"

#include <cld2/public/compact_lang_det.h>
#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "adapters/text/unicode.hpp"
#include "adapters/text/word_parts.hpp"
#include "domain/base/text.hpp"

namespace kbase::text {
namespace {

// The codes that both libstemmer 2.2 and CLD2 use for a language. The order is not a storage format: stored data
// contain the codes.
constexpr std::array<std::string_view, kLanguages> kCodes = {
    "none", "ar", "ca", "da", "de", "el", "en", "es", "eu", "fi", "fr", "ga", "hi", "hu", "hy",
    "id",   "it", "lt", "ne", "nl", "no", "pt", "ro", "ru", "sr", "sv", "ta", "tr", "yi"};

constexpr std::size_t kDetectedBytes = 512, kContentAlone = 256;

Language fallback_for(std::string_view text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii ? *find_language("en") : Language::None;
}

/// Returns the language of at most kDetectedBytes; nullopt: CLD2 is not sure.
std::optional<Language> detect(std::string_view text) {
  // CLD2 reads some bytes beyond the end of its input, so it gets a padded copy.
  std::array<char, kDetectedBytes + 64> padded{};
  std::copy(text.begin(), text.end(), padded.begin());
  bool reliable = false;
  int valid_bytes = 0;
  const CLD2::Language found =
      CLD2::DetectLanguageCheckUTF8(padded.data(), static_cast<int>(text.size()), true, &reliable, &valid_bytes);
  if (!reliable || found == CLD2::UNKNOWN_LANGUAGE) return std::nullopt;
  return find_language(CLD2::LanguageCode(found)).value_or(Language::None);
}

constexpr std::size_t kEntries = 16384;  // a power of two

std::size_t entry_index(std::string_view word, Language language) {
  std::uint64_t hash = (word.size() << 8) + static_cast<std::uint64_t>(language);
  for (std::size_t i = 0; i < word.size(); i += 8) {
    std::uint64_t block = 0;
    std::memcpy(&block, word.data() + i, std::min<std::size_t>(8, word.size() - i));
    hash = (hash ^ block) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash & (kEntries - 1);
}

bool is_ascii(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool has_digit(std::string_view word) { return std::any_of(word.begin(), word.end(), ascii::is_digit); }

}  // namespace

std::optional<Language> find_language(std::string_view code) {
  const auto found = std::find(kCodes.begin(), kCodes.end(), code);
  if (found == kCodes.end()) return std::nullopt;
  return static_cast<Language>(found - kCodes.begin());
}

std::string_view name_of(Language language) { return kCodes[static_cast<std::size_t>(language)]; }

bool preserves_prefixes(Language language) {
  constexpr std::array<std::string_view, 7> kOthers = {"ar", "fi", "ga", "id", "sr", "tr", "yi"};
  return std::find(kOthers.begin(), kOthers.end(), name_of(language)) == kOthers.end();
}

Language detect_language(std::string_view title, std::string_view content) {
  if (const auto language = detect(first_bytes(content, kContentAlone))) return *language;
  const std::string all = std::string(first_bytes(title, kDetectedBytes / 2)).append("\n").append(content);
  const std::string_view head = first_bytes(all, kDetectedBytes);
  return detect(head).value_or(fallback_for(head));
}

ItemLanguages item_languages(Language content) {
  const Language english = *find_language("en");
  return {content, content == english ? Language::None : english};
}

void Lexicon::StemmerDeleter::operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }

Lexicon::Lexicon() : entries_(kEntries) {}

void Lexicon::clear() {
  for (Entry& entry : entries_) entry.word = 0;
}

WordForms Lexicon::Entry::forms() {
  const std::string_view all(text.data(), text.size());
  const std::size_t stems = static_cast<std::size_t>(word) + exact;
  return {exact == 0 ? all.substr(0, word) : all.substr(word, exact), all.substr(stems, stem),
          all.substr(stems + stem, stem_of_exact), &numbers};
}

WordForms Lexicon::forms(std::string_view word, Language language) {
  Entry& entry = entries_[entry_index(word, language)];
  if (entry.word == word.size() && entry.language == language &&
      std::memcmp(entry.text.data(), word.data(), word.size()) == 0)
    return entry.forms();

  compute_forms(word, language);
  const std::size_t exact_bytes = exact_ == word ? 0 : exact_.size();
  if (exact_.empty() || word.size() + exact_bytes + stem_.size() + stem_of_exact_.size() > entry.text.size())
    return {exact_, stem_, stem_of_exact_};
  entry.numbers.fill(kNoNumber);
  entry.language = language;
  entry.word = static_cast<std::uint8_t>(word.size());
  entry.exact = static_cast<std::uint8_t>(exact_bytes);
  entry.stem = static_cast<std::uint8_t>(stem_.size());
  entry.stem_of_exact = static_cast<std::uint8_t>(stem_of_exact_.size());
  char* end = std::copy(word.begin(), word.end(), entry.text.begin());
  if (exact_bytes != 0) end = std::copy(exact_.begin(), exact_.end(), end);
  end = std::copy(stem_.begin(), stem_.end(), end);
  std::copy(stem_of_exact_.begin(), stem_of_exact_.end(), end);
  return entry.forms();
}

std::string_view Lexicon::exact_form(std::string_view word) {
  return is_ascii(word) ? word : forms(word, Language::None).exact;
}

void Lexicon::compute_forms(std::string_view word, Language language) {
  stem_of_exact_.clear();
  if (is_ascii(word)) {
    exact_ = word;
    stem_ = stem_word(exact_, language);
  } else {
    const std::string cased = fold_case(word);
    exact_ = fold_accents(cased);
    if (is_hangul(exact_)) {
      stem_ = without_particle(exact_);
      if (stem_ == exact_) stem_.clear();
      return;
    }
    stem_ = fold_accents(stem_word(cased, language));
    if (exact_ != cased) stem_of_exact_ = fold_accents(stem_word(exact_, language));
    if (stem_of_exact_ == stem_) stem_of_exact_.clear();
  }
  if (stem_ == exact_) stem_.clear();
}

std::string Lexicon::stem_word(const std::string& word, Language language) {
  if (language == Language::None || has_digit(word)) return word;
  auto& stemmer = stemmers_[static_cast<std::size_t>(language)];
  if (!stemmer) stemmer.reset(sb_stemmer_new(std::string(name_of(language)).c_str(), "UTF_8"));
  if (!stemmer) return word;
  const sb_symbol* stem =
      sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  if (stem == nullptr) return word;
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(stemmer.get()))};
}

}  // namespace kbase::text
