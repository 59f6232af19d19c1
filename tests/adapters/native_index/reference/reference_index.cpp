// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/reference/reference_index.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "adapters/native_index/segments/segment.hpp"
#include "adapters/text/excerpt.hpp"
#include "adapters/text/titles.hpp"

namespace kbase::tests {

using native_index::Field;

text::Analyzer& ReferenceIndex::analyzer() {
  thread_local text::Analyzer shared;
  return shared;
}

void ReferenceIndex::put(const model::ItemView& item) {
  Document document{model::Item(item), language_.value_or(text::detect_language(item.title, item.content))};
  std::uint32_t number = 0;
  float title = add_text(document, number++, item.title, Field::Title);
  document.titles.insert(text::fold_title(analyzer(), item.title));
  for (const std::string_view alias : item.aliases) {
    title += add_text(document, number++, alias, Field::Title);
    document.titles.insert(text::fold_title(analyzer(), alias));
  }
  float tags = 0;
  for (const std::string_view tag : item.tags) tags += add_text(document, number++, tag, Field::Tags);
  float content = 0;
  model::visit_section_texts(item.content, item.sections, [&](std::string_view text) {
    content += add_text(document, number++, text, Field::Content);
  });
  document.title_weight = text::title_weight(title / static_cast<float>(1 + item.aliases.size()));
  document.saturation = native_index::saturation(6 * title + 2 * tags + content);
  remove(item.id);
  documents_.emplace(std::string(item.id), std::move(document));
}

float ReferenceIndex::add_text(Document& document, std::uint32_t number, std::string_view text, Field field) const {
  float words = 0;
  const text::ItemLanguages languages = language_ || field != Field::Title ? text::ItemLanguages{document.language}
                                                                           : text::item_languages(document.language);
  analyzer().analyze_title(text, languages, [&](const text::Token& token) {
    document.words.push_back({std::string(token.exact), std::string(token.stem), std::string(token.stem_of_exact),
                              field, number, token.position, token.is_weak(), token.is_pair});
    if (token.is_word()) words += token.is_pair ? 0.25F : 1;
  });
  return words;
}

void ReferenceIndex::remove(std::string_view id) {
  const auto found = documents_.find(id);
  if (found == documents_.end()) return;
  for (const Word& word : found->second.words) gone_.insert(word.exact);
  documents_.erase(found);
}

void ReferenceIndex::clear() {
  documents_.clear();
  gone_.clear();
}

ReferenceIndex::Answer ReferenceIndex::search(const ports::SearchRequest& request,
                                              const Corrections& corrections) const {
  Answer answer;
  text::Query query;
  std::vector<Match> found;
  if (request.query == nullptr) {
    for (const auto& [id, document] : documents_) found.push_back({&document, 1});
  } else {
    query = analysed(*request.query);
    if (query.matches_nothing()) return answer;
    adapt_substitutes(query, corrections);
    correct(query, corrections);
    found = find(query, model::MatchRule::AllWords);
    if (query.clauses.size() > 1 && found.size() < request.fallback_below) {
      const std::size_t all_words_count = found.size();
      found = find(query, model::MatchRule::AnyWord);
      if (found.size() != all_words_count) answer.rule = model::MatchRule::AnyWord;
    }
    score(found, query);
    for (Match& each : found) each.is_title = !query.title.empty() && each.document->titles.contains(query.title);
  }
  std::erase_if(found, [&](const Match& each) { return !passes_filter(request.filter, each.document->item.view()); });
  const auto sort_by = [&found, this](model::Sort order) {
    std::sort(found.begin(), found.end(), [&](const Match& a, const Match& b) { return is_before(a, b, order); });
  };
  sort_by(model::Sort::Relevance);
  if (request.query != nullptr) rerank_by_proximity(found, query);
  float highest = 0;
  for (const Match& each : found) highest = std::max(highest, each.score);
  for (Match& each : found)
    if (each.is_title) each.score = highest;
  sort_by(request.sort);
  answer.total = found.size();
  answer.facets = facets_of(found);

  float best = 0;
  for (const Match& each : found) best = std::max(best, each.score);
  const text::ExcerptMaker excerpts(query);
  for (std::uint64_t i = request.offset; i < found.size() && i - request.offset < request.limit; ++i) {
    const Document& document = *found[i].document;
    const model::ItemView& item = document.item.view();
    answer.hits.push_back({std::string(item.id),
                           std::string(item.title),
                           std::string(item.category),
                           excerpts.make(analyzer(), item.content, document.language).text,
                           static_cast<double>(found[i].score) / static_cast<double>(best),
                           excerpts.highlights(analyzer(), item.title, text::item_languages(document.language)),
                           {}});
    answer.hits.back().excerpt_highlights =
        excerpts.highlights(analyzer(), answer.hits.back().excerpt, {document.language});
  }
  return answer;
}

bool ReferenceIndex::passes_filter(const ports::SearchFilter& filter, const model::ItemView& item) {
  if (filter.category && item.category != *filter.category) return false;
  if (filter.tag && std::find(item.tags.begin(), item.tags.end(), *filter.tag) == item.tags.end()) return false;
  if (filter.language && !model::is_language_in(item.language, *filter.language)) return false;
  if (filter.version && item.version != *filter.version) return false;
  if (filter.updated_from && item.metadata.updated < *filter.updated_from) return false;
  return !filter.updated_to || item.metadata.updated <= *filter.updated_to;
}

/// Counts the items of each value; most items first, then by the bytes of the value. An empty value is not counted.
ports::Facets ReferenceIndex::facets_of(const std::vector<Match>& matches) {
  std::array<std::map<std::string, std::uint64_t>, ports::kFacets.size()> counts;
  for (const Match& each : matches) {
    const model::ItemView& item = each.document->item.view();
    ++counts[0][std::string(item.category)];
    for (const std::string_view tag : std::set<std::string_view>(item.tags.begin(), item.tags.end()))
      ++counts[1][std::string(tag)];
    for (const std::string& range : model::language_ranges(item.language)) ++counts[2][range];
    ++counts[3][std::string(item.version)];
  }
  ports::Facets facets;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::vector<ports::FacetValue>& values = facets.*ports::kFacets[i].values;
    for (const auto& [value, items] : counts[i])
      if (!value.empty()) values.push_back({value, items});
    std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.items > b.items; });
  }
  return facets;
}

text::Query ReferenceIndex::analysed(const model::QueryNode& root) const {
  return text::analyze_query(analyzer(), root, query_languages());
}

/// Returns the languages in which a query's words are stemmed: those of most items.
std::vector<text::Language> ReferenceIndex::query_languages() const {
  std::map<std::string_view, std::size_t> items;  // by language code, which breaks ties
  for (const auto& [id, document] : documents_) ++items[text::name_of(document.language)];
  std::vector<std::pair<std::string_view, std::size_t>> most(items.begin(), items.end());
  std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<text::Language> languages;
  for (const auto& [code, count] : most) {
    const text::Language language = *text::find_language(code);
    const double least = text::kMinLanguageShare * static_cast<double>(documents());
    if (language != text::Language::None && static_cast<double>(count) >= least &&
        languages.size() < text::kMaxQueryLanguages)
      languages.push_back(language);
  }
  return languages;
}

std::vector<ReferenceIndex::Match> ReferenceIndex::find(const text::Query& query, model::MatchRule rule) const {
  std::vector<Match> found;
  for (const auto& [id, document] : documents_)
    if (matches(document, query, rule)) found.push_back({&document, 0});
  return found;
}

bool ReferenceIndex::matches(const Document& document, const text::Query& query, model::MatchRule rule) const {
  const auto holds = [&](const auto& each) { return has(document, each); };
  const bool words = rule == model::MatchRule::AllWords || query.clauses.empty()
                         ? std::all_of(query.clauses.begin(), query.clauses.end(),
                                       [&](const text::Clause& each) { return each.is_optional || holds(each); })
                         : std::any_of(query.clauses.begin(), query.clauses.end(), holds);
  return words && std::all_of(query.phrases.begin(), query.phrases.end(), holds) &&
         std::none_of(query.exclusions.begin(), query.exclusions.end(), holds);
}

bool ReferenceIndex::has(const Document& document, const text::Clause& clause) const {
  return std::any_of(clause.alternatives.begin(), clause.alternatives.end(), [&](const auto& parts) {
    return std::all_of(parts.begin(), parts.end(), [&](const text::QueryPhrase& part) { return has(document, part); });
  });
}

/// Adds the stems in all languages to the words of a phrase: an item in another language than the query's matches a
/// word by its own stem.
text::QueryPhrase ReferenceIndex::in_all_languages(text::QueryPhrase phrase) const {
  if (phrase.size() < 2 || stems_ == Stems::Marked) return phrase;
  std::set<text::Language> languages;
  for (const auto& [id, document] : documents_) languages.insert(document.language);
  for (text::QueryWord& word : phrase)
    for (const text::Language language : languages)
      analyzer().analyze(std::string(word.terms.front()), language, [&word](const text::Token& token) {
        if (word.prefix || !token.is_word()) return;
        const std::string stem(token.stem.empty() ? token.exact : token.stem);
        word.terms.insert(word.terms.end(), {stem, text::kStemMark + stem});
      });
  return phrase;
}

bool ReferenceIndex::has(const Document& document, const text::QueryPhrase& typed) const {
  const auto has_word = [&](const text::QueryWord& asked) {
    return std::any_of(document.words.begin(), document.words.end(), [&](const Word& word) { return is(word, asked); });
  };
  if (!std::all_of(typed.begin(), typed.end(), has_word)) return false;
  const text::QueryPhrase phrase = in_all_languages(typed);
  const auto occurs_at = [&](const Word& first, std::uint32_t offset) {
    return std::any_of(document.words.begin(), document.words.end(), [&](const Word& word) {
      return word.text == first.text && word.position == first.position + offset && is(word, phrase[offset]);
    });
  };
  return std::any_of(document.words.begin(), document.words.end(), [&](const Word& first) {
    if (!is(first, phrase.front())) return false;
    for (std::uint32_t offset = 1; offset < phrase.size(); ++offset)
      if (!occurs_at(first, offset)) return false;
    return true;
  });
}

/// A word of an item matches in its exact form and by its stems.
bool ReferenceIndex::is(const Word& word, const text::QueryWord& asked) const {
  const std::string& typed = asked.terms.front();
  const std::vector<std::string_view> names = word.names();
  const auto has_prefix = [&typed](std::string_view name) { return name.starts_with(typed); };
  const auto is_name = [&names](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (asked.prefix) {
    const bool by_stem = stems_ == Stems::Unmarked && std::any_of(names.begin(), names.end(), has_prefix);
    return has_prefix(word.exact) || by_stem;
  }
  return word.exact == typed || std::any_of(asked.terms.begin(), asked.terms.end(), [&](std::string_view term) {
           if (term.front() == text::kStemMark) return is_name(term.substr(1)) && term.substr(1) != word.exact;
           return stems_ == Stems::Unmarked ? is_name(term) : word.exact == term;
         });
}

/// The weight of a word depends on the number of documents with its terms or, if no document has them, with its exact
/// form.
std::vector<ReferenceIndex::WeightedWord> ReferenceIndex::weighted_words(const text::Query& query) const {
  std::vector<WeightedWord> words;
  std::vector<double> rarities;
  for (const text::RankedWord& ranked : text::ranked_words(query)) {
    std::uint64_t with_term = 0;
    std::uint64_t typed_index = 0;
    for (const auto& [id, document] : documents_) {
      const std::vector<std::uint32_t> term_frequencies = frequencies(document, *ranked.word);
      with_term +=
          static_cast<std::uint64_t>(std::count_if(term_frequencies.begin(), term_frequencies.end(), std::identity()));
      typed_index += exact_frequency(document, *ranked.word) > 0 ? 1 : 0;
    }
    const bool has_forms = with_term > 0;
    const auto with = std::min<std::uint64_t>(documents(), has_forms ? with_term : typed_index);
    const double rarity = native_index::word_weight(documents(), with);
    words.push_back({ranked, ranked.weight(rarity, rarities), has_forms});
    rarities.push_back(with > 0 ? rarity : 0);
  }
  return words;
}

/// Adds in float32, in the order of the query's words and of each word's terms, because equal ranks require sums that
/// are equal bit by bit.
void ReferenceIndex::score(std::vector<Match>& matches, const text::Query& query) const {
  for (const auto& [ranked, word_weight, has_forms] : weighted_words(query)) {
    const text::QueryWord& word = *ranked.word;
    const float weight = static_cast<float>(word_weight * ranked.repetition()) / 255;
    for (Match& match : matches) {
      const float saturation = match.document->saturation;
      const auto add = [&match, saturation](float term_weight, std::uint32_t frequency) {
        if (frequency > 0) match.score += term_weight * static_cast<float>(native_index::impact(frequency, saturation));
      };
      for (const std::uint32_t frequency : frequencies(*match.document, word)) add(weight, frequency);
      add(has_forms ? weight * native_index::kExactWeight : weight, exact_frequency(*match.document, word));
    }
  }
}

/// Boosts the first hits by the words that occur near each other in them.
void ReferenceIndex::rerank_by_proximity(std::vector<Match>& sorted, const text::Query& query) const {
  std::vector<NearWord> words;
  for (const auto& [ranked, weight, has_forms] : weighted_words(query))
    if (!ranked.word->prefix)
      words.push_back({*ranked.word, native_index::proximity_weight(weight), ranked.is_essential()});
  std::stable_sort(words.begin(), words.end(),
                   [](const NearWord& a, const NearWord& b) { return a.weight > b.weight; });
  if (words.size() > native_index::kProximityWords) words.resize(native_index::kProximityWords);
  if (words.size() < 2) return;
  for (std::size_t i = 0; i < std::min(native_index::kProximityHits, sorted.size()); ++i)
    sorted[i].score += boost_of(*sorted[i].document, words);
}

float ReferenceIndex::boost_of(const Document& document, const std::vector<NearWord>& words) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::size_t>> places;  // text, position, word
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> own;
    for (const Word& word : document.words)
      for (const std::string& term : words[i].word.terms)
        for (const std::string_view name : word.names())
          if (name == (term.front() == text::kStemMark ? term.substr(1) : term)) own.emplace(word.text, word.position);
    std::size_t left = native_index::kProximityPositions;
    for (auto place = own.begin(); place != own.end() && left > 0; ++place, --left)
      places.emplace(place->first, place->second, i);
  }
  std::uint64_t heaviest = 0;
  for (const auto& [text, begin, first] : places) {
    std::set<std::size_t> inside;
    for (const auto& [other, position, word] : places)
      if (other == text && position >= begin && position < begin + native_index::kProximityWindow) inside.insert(word);
    std::uint64_t weight = 0;
    for (const std::size_t word : inside) weight += words[word].weight;
    heaviest = std::max(heaviest, weight);
  }
  std::uint64_t in_title = 0;
  bool has_title_all = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].is_essential) continue;
    in_title += words[i].weight;
    has_title_all =
        has_title_all && std::any_of(places.begin(), places.end(), [i](const auto& place) {
          return std::get<0>(place) == 0 && std::get<1>(place) < native_index::kFieldGap && std::get<2>(place) == i;
        });
  }
  return native_index::proximity_boost(heaviest) + (has_title_all ? native_index::title_boost(in_title) : 0);
}

/// Returns the frequency of each term of the word, weighted by field. A word of an item counts for its stems (or itself
/// if it has none). A prefix is one term with the frequency of its most frequent match.
std::vector<std::uint32_t> ReferenceIndex::frequencies(const Document& document, const text::QueryWord& asked) const {
  std::map<std::string, std::uint32_t> found;  // by term
  for (const Word& word : document.words) {
    const std::uint32_t weight =
        native_index::token_frequency(word.field, document.title_weight, word.is_weak, word.is_pair);
    for (const std::string_view name : word.names()) found[std::string(name)] += weight;
    if (!word.stem.empty()) found[native_index::kExactMark + word.exact] += weight;
  }
  std::vector<std::uint32_t> frequencies;
  if (asked.prefix) {
    const std::string& prefix = asked.terms.front();
    std::uint32_t most = 0;
    for (const auto& [term, frequency] : found)
      if (term.starts_with(prefix) || term.starts_with(native_index::kExactMark + prefix))
        most = std::max(most, frequency);
    frequencies.push_back(most);
  } else {
    for (const std::string& term : asked.terms)
      frequencies.push_back(std::exchange(found[term.front() == text::kStemMark ? term.substr(1) : term], 0));
  }
  return frequencies;
}

/// Returns the frequency of the exact form, if that differs from its stem.
std::uint32_t ReferenceIndex::exact_frequency(const Document& document, const text::QueryWord& asked) {
  std::uint32_t frequency = 0;
  for (const Word& word : document.words)
    if (!asked.prefix && !word.stem.empty() && word.exact == asked.terms.front())
      frequency += native_index::token_frequency(word.field, document.title_weight, word.is_weak, word.is_pair);
  return frequency;
}

bool ReferenceIndex::is_before(const Match& a, const Match& b, model::Sort sort) const {
  const auto rank = [&](const Match& match, const Match& other) {
    const model::ItemView& item = match.document->item.view();
    const bool is_title = sort == model::Sort::Relevance && match.is_title;
    const bool by_views = sort == model::Sort::Popularity || is_title;
    return std::make_tuple(is_title, sort == model::Sort::Relevance && !is_title ? match.score : 0.0F,
                           by_views ? views_of(*match.document) : 0,
                           sort == model::Sort::Popularity ? model::Day() : item.metadata.updated,
                           other.document->item.view().id);
  };
  return rank(a, b) > rank(b, a);
}

std::uint64_t ReferenceIndex::views_of(const Document& document) const {
  const model::ItemView& item = document.item.view();
  const auto counted = views_.find(item.id);
  return item.metadata.views + (counted == views_.end() ? 0 : counted->second);
}

}  // namespace kbase::tests
