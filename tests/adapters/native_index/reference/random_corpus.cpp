// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/reference/random_corpus.hpp"

#include <algorithm>
#include <array>

#include "domain/base/text.hpp"

namespace kbase::tests {
namespace {

constexpr std::size_t kSeenItems = 32;
constexpr std::uint64_t kManyIds = 10'000;  // with this many ids, texts are short

const std::array<std::string_view, 3> kCategories{"red", "blue", "green"};
const std::array<std::string_view, 5> kLanguages{"", "en", "en-US", "de-AT", "DE-at"};
// An item without a language or a version has an empty one, for which no search can ask.
const std::array<std::string_view, 4> kAskedLanguages{"de", "en", "de-AT", "EN-us"};
const std::array<std::string_view, 3> kVersions{"", "1", "1.1"};
const std::array<std::string_view, 3> kAskedVersions{"1", "1.1", "unknown"};

}  // namespace

model::Item SampleItem::item() const {
  model::ItemView view;
  const std::vector<std::string_view> tag_views(tags.begin(), tags.end());
  view.id = id;
  view.title = title;
  view.content = content;
  // A section begins at the first space after each twenty bytes of some texts.
  std::vector<std::string> sections;
  for (std::size_t at = content.find(' ', 20); content.size() % 3 == 0 && at != std::string::npos;
       at = content.find(' ', at + 20))
    sections.push_back(model::encode_section({1, "Heading", "heading", at}));
  const std::vector<std::string_view> section_views(sections.begin(), sections.end());
  view.sections = section_views;
  view.category = category;
  view.tags = tag_views;
  view.language = language;
  view.version = version;
  view.metadata.updated = model::Day(std::chrono::days(updated));
  view.metadata.views = views;
  return model::Item(view);
}

/// Words that share stems, exact forms, prefixes, parts or foldings with other words of the same or another script.
const std::vector<RandomCorpus::TextKind>& RandomCorpus::text_kinds() {
  static const std::vector<TextKind> all = {
      {{"house", "houses", "housing", "run", "runs", "running", "organ", "organis", "organise", "universe",
        "university", "news", "nation", "nationality", "the", "of", "die", "it's", "dog's"},
       "The old harbour was full of people who were waiting for the boats that had not come back since yesterday."},
      {{"Haus", "H\u00E4user", "Hauses", "laufen", "l\u00E4uft", "Stra\u00DFe", "strasse", "Stra\u00DFen", "Nation",
        "Nationalit\u00E4t", "die", "der", "Organ", "Organe"},
       "Die alten H\u00E4user stehen nicht weit von der Stra\u00DFe, und wir gehen heute noch einmal gemeinsam "
       "dorthin."},
      {{"maison", "maisons", "l'avion", "\u00E9l\u00E8ve", "\u00E9l\u00E8ves", "nation", "nationalit\u00E9", "courir",
        "courait", "le", "die", "caf\u00E9"},
       "Les \u00E9l\u00E8ves sont rest\u00E9s dans la maison avec leurs parents parce qu'il pleuvait depuis le matin."},
      {{"casa", "casas", "naci\u00F3n", "naciones", "correr", "corriendo", "universidad", "universo", "el",
        "caf\u00E9"},
       "Los ni\u00F1os no quieren volver a casa porque todav\u00EDa est\u00E1n jugando en el jard\u00EDn de sus "
       "abuelos."},
      {{"casa", "case", "nazione", "nazioni", "correre", "correndo", "universit\u00E0", "universo", "il", "caff\u00E8"},
       "I ragazzi non vogliono tornare a casa perch\u00E9 stanno ancora giocando nel giardino della nonna."},
      {{"\u0434\u043E\u043C", "\u0434\u043E\u043C\u0430", "\u0434\u043E\u043C\u043E\u0432",
        "\u0431\u0435\u0436\u0430\u0442\u044C", "\u0431\u0435\u0436\u0438\u0442", "\u0451\u043B\u043A\u0430",
        "\u0435\u043B\u043A\u0430", "\u0438"},
       "\u041C\u044B \u0434\u043E\u043B\u0433\u043E \u0436\u0434\u0430\u043B\u0438 \u0438\u0445 \u0443 "
       "\u0441\u0442\u0430\u0440\u043E\u0433\u043E \u0434\u043E\u043C\u0430, \u043D\u043E \u043E\u043D\u0438 "
       "\u043D\u0435 \u043F\u0440\u0438\u0448\u043B\u0438."},
      {{"\u5317", "\u4EAC", "\u5927", "\u5B66", "\u4E2D", "\u56FD", "\u5317\u4EAC", "\u5927\u5B66", "\u6771\u4EAC",
        "\u3078", "\u0E44\u0E17\u0E22", "\u3002", " ", "Python", "3"},
       "",
       ""},
      {{"foo_bar",
        "foo",
        "bar",
        "std::vector",
        "C++",
        "C#",
        "c",
        ".NET",
        "net",
        "json",
        "data.json",
        "1.2.3",
        "1.2",
        "2",
        "v2.0",
        "3.14",
        "ECONNREFUSED",
        "a/b/c.txt",
        "user@example.org",
        "fooBar",
        "foobar",
        "x86_64",
        "-O2",
        "/home/me/.profile"},
       ""},
      {{"caf\u00E9", "cafe", "CAFE\u0301", "na\u00EFve", "naive", "\u0141\u00F3d\u017A", "lodz", "\u00C6r\u00F8",
        "aero", "\uFB01ne", "fine", "\uFF46\uFF55\uFF4C\uFF4C", "full", "\u0130stanbul", "istanbul", "x\u00ADy", "xy"},
       ""},
      {{"!!!", "...", "\u2014", "\"", "'", "*", "-", "OR", "NOT", "\U0001F642", "\t", "\n", "(c)", "~run", "&amp;",
        "\x01house", "a", "b"},
       ""}};
  return all;
}

RandomCorpus::RandomCorpus(Chance& chance, std::uint64_t ids) : chance_(chance), ids_(ids) {
  for (std::uint64_t count = chance_.between(1, 5); count > 0; --count)
    chosen_.push_back(&chance_.one_of(text_kinds()));
  most_words_ = ids > kManyIds ? 2 : chance_.one_of(std::array<std::uint64_t, 4>{2, 6, 15, 60});
}

std::string RandomCorpus::id() {
  const std::uint64_t number = chance_.below(ids_);
  if (number == 0) return "\u00E9";
  return (number % 3 == 0 ? "A" : number % 3 == 1 ? "a" : "item-") + std::to_string(number);
}

SampleItem RandomCorpus::item() {
  SampleItem item = seen_.empty() || !chance_.one_in(5) ? new_item() : chance_.one_of(seen_);
  item.id = id();
  item.category = chance_.one_of(kCategories);
  item.updated = static_cast<int>(20'000 + chance_.below(4));
  item.views = chance_.below(4);
  item.language = chance_.one_of(kLanguages);
  item.version = chance_.one_of(kVersions);
  keep_sample(item);
  return item;
}

SampleItem RandomCorpus::new_item() {
  const TextKind& writing = *chance_.one_of(chosen_);
  SampleItem item;
  if (!chance_.one_in(8)) item.title = text(writing, 3);
  if (!chance_.one_in(6)) item.content = text(writing, most_words_);
  if (!writing.sentence.empty() && chance_.one_in(3)) item.content.append(" ").append(writing.sentence);
  for (std::uint64_t tags = chance_.one_in(3) ? chance_.below(4) : 0; tags > 0; --tags)
    item.tags.push_back(text(*chance_.one_of(chosen_), 2));
  return item;
}

void RandomCorpus::keep_sample(const SampleItem& item) {
  if (seen_.size() < kSeenItems)
    seen_.push_back(item);
  else
    chance_.one_of(seen_) = item;
}

/// Writes at least one word. One word in ten is from any script.
std::string RandomCorpus::text(const TextKind& writing, std::uint64_t most_words) {
  std::string text;
  for (std::uint64_t count = chance_.between(1, most_words); count > 0; --count) {
    if (!text.empty()) text += chance_.one_in(12) ? ", " : writing.space;
    text += chance_.one_in(10) ? word() : std::string(chance_.one_of(writing.words));
  }
  return text;
}

std::string RandomCorpus::word() {
  const TextKind& writing = chance_.one_in(10) ? chance_.one_of(text_kinds()) : *chance_.one_of(chosen_);
  return std::string(chance_.one_of(writing.words));
}

SampleSearch RandomCorpus::search() {
  using Limits = std::array<std::uint64_t, 6>;
  SampleSearch search;
  if (!chance_.one_in(16)) search.q = query();
  for (std::uint64_t synonyms = chance_.one_in(4) ? chance_.between(1, 3) : 0; synonyms > 0; --synonyms)
    search.synonyms.push_back(chance_.one_in(2) ? word() : word() + ' ' + word());
  if (chance_.one_in(4)) search.category = chance_.one_in(8) ? "unknown" : std::string(chance_.one_of(kCategories));
  if (!seen_.empty() && chance_.one_in(8)) {
    const std::vector<std::string>& tags = chance_.one_of(seen_).tags;
    search.tag = tags.empty() ? "unknown" : chance_.one_of(tags);
  }
  if (chance_.one_in(8)) search.language = std::string(chance_.one_of(kAskedLanguages));
  if (chance_.one_in(8)) search.version = std::string(chance_.one_of(kAskedVersions));
  if (chance_.one_in(6)) search.updated_from = static_cast<int>(20'000 + chance_.below(5));
  if (chance_.one_in(6)) search.updated_to = static_cast<int>(20'000 + chance_.below(4));
  if (chance_.one_in(3)) search.sort = chance_.one_in(2) ? model::Sort::Date : model::Sort::Popularity;
  if (chance_.one_in(4)) search.offset = chance_.one_in(8) ? std::uint64_t{1} << 53 : chance_.below(20);
  search.limit = chance_.one_of(Limits{0, 1, 3, 20, 20, 1'000});
  if (chance_.one_in(2))
    search.fallback_below = chance_.one_of(Limits{model::kAlwaysAllWords, model::kAlwaysAnyWord, 1, 2, 3, 1'000});
  return search;
}

/// Returns a query that can be parsed.
std::string RandomCorpus::query() {
  for (;;) {
    std::string q = operand();
    std::uint64_t operands = chance_.one_in(10) ? chance_.below(9) : chance_.below(4);
    for (; operands > 0; --operands) q += (chance_.one_in(5) ? " OR " : " ") + operand();
    if (model::parse_query(q)) return q;
  }
}

std::string RandomCorpus::operand() {
  switch (chance_.below(14)) {
    case 0:
    case 1: return '"' + phrase() + '"';
    case 2: return '-' + changed(word());
    case 3: return chance_.one_in(2) ? "-\"" + phrase() + '"' : '-' + word() + '*';
    case 4: {
      const std::string whole = changed(word());
      return std::string(utf8::prefix(whole, chance_.between(1, 5))) + '*';
    }
    case 5: return word() + word();
    default: return changed(word());
  }
}

/// Returns words that are adjacent in an item, or any words.
std::string RandomCorpus::phrase() {
  if (!seen_.empty() && !chance_.one_in(4)) return fragment();
  std::string words = word();
  for (std::uint64_t more = chance_.below(3); more > 0; --more) words += ' ' + word();
  return words;
}

/// Returns a part of an item's text that begins at a word or, sometimes, at any character.
std::string RandomCorpus::fragment() {
  const SampleItem& item = chance_.one_of(seen_);
  const std::string& whole = item.content.empty() || chance_.one_in(3) ? item.title : item.content;
  const bool anywhere = chance_.one_in(4);
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < whole.size(); i += utf8::sequence_length(std::string_view(whole).substr(i)))
    if (anywhere || i == 0 || whole[i - 1] == ' ') begins.push_back(i);
  if (begins.empty()) return word();
  const std::size_t begin = chance_.one_of(begins);
  return std::string(utf8::prefix(std::string_view(whole).substr(begin), chance_.between(2, 24)));
}

/// Converts some words to capital letters.
std::string RandomCorpus::changed(std::string word) {
  if (!chance_.one_in(6)) return word;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return word;
}

}  // namespace kbase::tests
