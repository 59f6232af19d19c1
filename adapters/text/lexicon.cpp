// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/lexicon.hpp"

#include <libstemmer.h>

#include <algorithm>
#include <cstring>

#include "adapters/text/folding.hpp"

namespace kbase::text {
namespace {

constexpr std::size_t kEntries = 16384;  // a power of two

std::size_t slot_of(std::string_view word, Language language) {
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

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void Lexicon::StemmerDeleter::operator()(sb_stemmer* stemmer) const {
  sb_stemmer_delete(stemmer);
}

Lexicon::Lexicon() : entries_(kEntries) {}

WordForms Lexicon::Entry::forms() const {
  const std::string_view all(text.data(), text.size());
  const std::size_t stems = static_cast<std::size_t>(word) + exact;
  return {exact == 0 ? all.substr(0, word) : all.substr(word, exact), all.substr(stems, stem),
          all.substr(stems + stem, stem_of_exact)};
}

WordForms Lexicon::forms(std::string_view word, Language language) {
  Entry& entry = entries_[slot_of(word, language)];
  if (entry.word == word.size() && entry.language == language &&
      std::memcmp(entry.text.data(), word.data(), word.size()) == 0)
    return entry.forms();

  work_out(word, language);
  const std::size_t kept_exact = exact_ == word ? 0 : exact_.size();
  if (exact_.empty() || word.size() + kept_exact + stem_.size() + stem_of_exact_.size() > entry.text.size())
    return {exact_, stem_, stem_of_exact_};
  entry.language = language;
  entry.word = static_cast<std::uint8_t>(word.size());
  entry.exact = static_cast<std::uint8_t>(kept_exact);
  entry.stem = static_cast<std::uint8_t>(stem_.size());
  entry.stem_of_exact = static_cast<std::uint8_t>(stem_of_exact_.size());
  char* end = std::copy(word.begin(), word.end(), entry.text.begin());
  if (kept_exact != 0) end = std::copy(exact_.begin(), exact_.end(), end);
  end = std::copy(stem_.begin(), stem_.end(), end);
  std::copy(stem_of_exact_.begin(), stem_of_exact_.end(), end);
  return entry.forms();
}

void Lexicon::work_out(std::string_view word, Language language) {
  stem_of_exact_.clear();
  if (is_ascii(word)) {
    exact_ = word;
    stem_ = stemmed(exact_, language);
  } else {
    const std::string cased = case_folded(word);
    exact_ = accent_folded(cased);
    stem_ = accent_folded(stemmed(cased, language));
    if (exact_ != cased) stem_of_exact_ = accent_folded(stemmed(exact_, language));
    if (stem_of_exact_ == stem_) stem_of_exact_.clear();
  }
  if (stem_ == exact_) stem_.clear();
}

std::string Lexicon::stemmed(const std::string& word, Language language) {
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
