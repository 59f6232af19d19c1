// SPDX-License-Identifier: Apache-2.0
#include "tests/support/memory_index/memory_search_index.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "adapters/text/excerpt.hpp"

namespace kbase::memory_index {
namespace {

bool passes(const ports::SearchFilter& filter, const model::ItemView& item) {
  const model::Day updated = item.metadata.updated;
  const auto has_tag = [&](std::string_view tag) {
    return std::find(item.tags.begin(), item.tags.end(), tag) != item.tags.end();
  };
  const auto& [categories, tags] = std::tie(filter.further_categories, filter.further_tags);
  return (!filter.category || item.category == *filter.category ||
          std::find(categories.begin(), categories.end(), item.category) != categories.end()) &&
         (!filter.tag || has_tag(*filter.tag) || std::any_of(tags.begin(), tags.end(), has_tag)) &&
         (!filter.language || model::is_language_in(item.language, *filter.language)) &&
         (!filter.version || item.version == *filter.version) &&
         (!filter.updated_from || updated >= *filter.updated_from) &&
         (!filter.updated_to || updated <= *filter.updated_to);
}

using ItemCounts = std::map<std::string, std::uint64_t, std::less<>>;

/// Returns the values with the highest counts first; ties are ordered by their bytes.
std::vector<ports::FacetValue> most_frequent(const ItemCounts& counts, std::size_t limit) {
  std::vector<ports::FacetValue> values;
  for (const auto& [value, items] : counts)
    if (!value.empty()) values.push_back({value, items});
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.items > b.items; });
  values.resize(std::min(values.size(), limit));
  return values;
}

using FacetCounts = std::array<ItemCounts, ports::kFacets.size()>;

/// Counts an item by each facet.
void count(const model::ItemView& item, FacetCounts& counts) {
  auto& [categories, tags, languages, versions] = counts;
  ++categories[std::string(item.category)];
  for (const std::string_view tag : std::set<std::string_view>(item.tags.begin(), item.tags.end()))
    ++tags[std::string(tag)];
  for (const std::string& range : model::language_ranges(item.language)) ++languages[range];
  ++versions[std::string(item.version)];
}

}  // namespace

class MemorySearchIndex::Writer final : public ports::IndexWriter {
 public:
  Writer(MemorySearchIndex& index, Documents documents, const model::StoreId& store_id)
      : index_(index), documents_(std::move(documents)), store_id_(store_id) {}
  ~Writer() override {
    const std::lock_guard lock(index_.mutex_);
    index_.writing_ = false;
  }

  Status put(ports::Call&, std::span<const model::ItemView* const> items) override {
    for (const model::ItemView* item : items)
      documents_.insert_or_assign(std::string(item->id), std::make_shared<const Document>(*item, analyzer_));
    return {};
  }

  Status remove(ports::Call&, std::string_view id) override {
    if (const auto found = documents_.find(id); found != documents_.end()) documents_.erase(found);
    return {};
  }

  Status commit(ports::Call&, model::Revision revision) override {
    auto next = std::make_shared<Snapshot>();
    next->state = {store_id_, revision, 0, documents_.size(), true};
    next->documents = documents_;
    for (const auto& [id, document] : documents_) ++next->by_language[static_cast<std::size_t>(document->language())];
    const std::lock_guard lock(index_.mutex_);
    next->state.views_revision = index_.snapshot_->state.views_revision;
    next->views = index_.snapshot_->views;
    index_.snapshot_ = std::move(next);
    return {};
  }

 private:
  MemorySearchIndex& index_;
  Documents documents_;
  model::StoreId store_id_;
  text::Analyzer analyzer_;
};

/// A match with its sort keys: both descending, then by id.
struct MemorySearchIndex::Ranked {
  Match match;
  double rank;
  std::uint64_t order;
  bool is_title;  ///< its title or an alias is the query; `rank` is then its number of views

  bool before(const Ranked& other) const {
    return std::forward_as_tuple(other.is_title, other.rank, other.order, match.document->item().id) <
           std::forward_as_tuple(is_title, rank, order, other.match.document->item().id);
  }
};

std::shared_ptr<const MemorySearchIndex::Snapshot> MemorySearchIndex::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

ports::SearchIndex::Capabilities MemorySearchIndex::capabilities() const {
  Capabilities capabilities;
  capabilities.stemming = true;
  capabilities.segmentation = true;
  capabilities.filters = true;
  capabilities.selections = true;
  capabilities.facets = true;
  capabilities.highlights = true;
  capabilities.completions = true;
  capabilities.describes = true;
  capabilities.options = true;
  capabilities.optional_words = true;
  capabilities.synonyms = true;
  return capabilities;
}

std::vector<text::Language> MemorySearchIndex::select_languages(const Snapshot& snapshot) const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 1; i < snapshot.by_language.size(); ++i)
    if (snapshot.by_language[i] > 0 && static_cast<double>(snapshot.by_language[i]) >=
                                           text::kMinLanguageShare * static_cast<double>(snapshot.documents.size()))
      numbers.push_back(i);
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](std::size_t a, std::size_t b) { return snapshot.by_language[a] > snapshot.by_language[b]; });
  if (numbers.size() > text::kMaxQueryLanguages) numbers.resize(text::kMaxQueryLanguages);
  std::vector<text::Language> languages;
  for (const std::size_t number : numbers) languages.push_back(static_cast<text::Language>(number));
  return languages;
}

Result<ports::SearchResult> MemorySearchIndex::search(ports::Call&, const ports::SearchRequest& request,
                                                      Visitor<ports::SearchHit> visitor) {
  const std::shared_ptr<const Snapshot> now = snapshot();
  if (!now->state.complete)
    return Error{ErrorCode::Unavailable, "The search index is being built.", {}, {}, std::chrono::seconds(1)};
  ports::SearchResult answer;
  answer.store_id = now->state.store_id;
  answer.revision = now->state.revision;
  answer.views_revision = now->state.views_revision;

  text::Analyzer analyzer;
  text::Query query;
  Matches matches;
  if (request.query != nullptr) {
    const std::vector<text::Language> languages = select_languages(*now);
    query = text::analyze_query(analyzer, *request.query, languages);
    if (query.matches_nothing()) return answer;
    adapt_substitutes(query, analyzer, languages, now->documents);
    matches = match(now->documents, query, request.fallback_below);
    answer.rule = matches.rule;
  } else {
    for (const auto& [id, document] : now->documents) matches.all.push_back({document.get(), 1});
  }

  std::vector<Ranked> ranked;
  FacetCounts counts;
  double best = 0;
  for (const Match& each : matches.all) {
    const model::ItemView& item = each.document->item();
    if (!passes(request.filter, item)) continue;
    count(item, counts);
    best = std::max(best, each.score);
    const auto counted = now->views.find(std::string(item.id));
    const auto updated = static_cast<std::uint64_t>(item.metadata.updated.time_since_epoch().count() + (1LL << 40));
    const std::uint64_t views = item.metadata.views + (counted == now->views.end() ? 0 : counted->second);
    const bool is_title = request.sort == model::Sort::Relevance && each.document->has_title(query.title);
    const double score = request.sort == model::Sort::Relevance ? each.score : 0;
    ranked.push_back({each, is_title ? static_cast<double>(views) : score,
                      request.sort != model::Sort::Popularity ? updated : views, is_title});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.before(b); });
  answer.total = ranked.size();
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (request.facets.*ports::kFacets[i].is_wanted)
      answer.facets.*ports::kFacets[i].values = most_frequent(counts[i], ports::kMaxFacetValues);

  const text::ExcerptMaker excerpts(query);
  for (std::size_t i = request.offset; i < ranked.size() && i - request.offset < request.limit; ++i) {
    const Document& document = *ranked[i].match.document;
    const text::Excerpt excerpt = excerpts.make(analyzer, document.item().content, document.language());
    text::HitHighlights highlights;
    if (request.highlights)
      highlights = excerpts.highlights(analyzer, document.item().title, excerpt.text, document.language());
    const model::ItemView& item = document.item();
    ports::SearchHit hit{item.id,
                         item.title,
                         item.category,
                         excerpt.text,
                         ranked[i].is_title ? 1 : ranked[i].match.score / best,
                         highlights.title,
                         highlights.excerpt};
    const auto counted = now->views.find(std::string(item.id));
    const auto section = excerpt.match ? model::section_at(item.sections, *excerpt.match) : std::nullopt;
    hit.has_row = true;
    hit.updated = item.metadata.updated;
    hit.url = item.url;
    hit.tags = item.tags;
    hit.views = item.metadata.views + (counted == now->views.end() ? 0 : counted->second);
    if (section) hit.section = {section->heading, section->anchor};
    hit.language = item.language;
    hit.version = item.version;
    if (visitor(hit) == Visit::Stop) break;
  }
  return answer;
}

Status MemorySearchIndex::complete(ports::Call&, std::string_view beginning, std::size_t limit,
                                   Visitor<ports::WordCompletion> visitor) {
  const std::shared_ptr<const Snapshot> now = snapshot();
  text::Analyzer analyzer;
  const std::optional<std::string> word = text::analyze_single_word(analyzer, beginning);
  if (!word) return {};
  ItemCounts counts;
  for (const auto& [id, document] : now->documents)
    document->visit_words(*word, [&](std::string_view each) { ++counts[std::string(each)]; });
  counts.erase(*word);
  for (const ports::FacetValue& each : most_frequent(counts, limit))
    if (visitor({each.value, each.items}) == Visit::Stop) break;
  return {};
}

Result<ports::IndexState> MemorySearchIndex::state(ports::Call&) { return snapshot()->state; }

Result<std::unique_ptr<ports::IndexWriter>> MemorySearchIndex::begin(ports::Call&, Build build,
                                                                     const model::StoreId& store_id) {
  const std::lock_guard lock(mutex_);
  if (writing_) return Error{ErrorCode::Conflict, "The search index already has an active writer."};
  if (build == Build::Update && (!snapshot_->state.complete || snapshot_->state.store_id != store_id))
    return Error{ErrorCode::Unsupported, "The search index has no state to update; it must be rebuilt."};
  writing_ = true;
  return std::unique_ptr<ports::IndexWriter>(
      std::make_unique<Writer>(*this, build == Build::Update ? snapshot_->documents : Documents{}, store_id));
}

Status MemorySearchIndex::set_views(ports::Call&, std::span<const ports::ItemViews> totals,
                                    model::ViewsRevision revision) {
  const std::lock_guard lock(mutex_);
  auto next = std::make_shared<Snapshot>(*snapshot_);
  for (const ports::ItemViews& each : totals) next->views[std::string(each.item)] = each.views;
  next->state.views_revision = revision;
  snapshot_ = std::move(next);
  return {};
}

Status MemorySearchIndex::verify(ports::Call&) { return {}; }

Status MemorySearchIndex::health(ports::Call&) {
  if (snapshot()->state.complete) return {};
  return Error{ErrorCode::Unavailable, "The search index is being built.", {}, {}, std::chrono::seconds(1)};
}

}  // namespace kbase::memory_index
