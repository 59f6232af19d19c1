// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/opensearch_search_index.hpp"

#include <utility>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/search.hpp"
#include "adapters/opensearch/server.hpp"
#include "domain/base/result.hpp"

namespace kbase::opensearch {
namespace {

constexpr std::size_t kMaxNameLength = 180;  // OpenSearch's limit is 255 bytes, including our suffix

bool is_index_name(std::string_view name) {
  constexpr std::string_view kSigns = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
  return !name.empty() && name.size() <= kMaxNameLength && name.find_first_not_of(kSigns) == name.npos &&
         kSigns.substr(0, 36).find(name.front()) != name.npos;
}

Status validate(const Options& options) {
  if (!is_index_name(options.index))
    return invalid_argument(
        "index",
        "index must begin with a letter or digit and contain only lower case letters, digits, '-', '_' and '.', not '" +
            options.index + "'");
  if (options.bulk_bytes == 0) return invalid_argument("bulk_bytes", "bulk_bytes must be at least 1");
  return {};
}

bool is_missing(const Error& error) { return error.code == ErrorCode::NotFound; }

}  // namespace

Result<std::unique_ptr<OpenSearchSearchIndex>> OpenSearchSearchIndex::open(ports::HttpClient* http,
                                                                           const ports::Clock& clock, Options options,
                                                                           ports::EventLog* log) {
  KBASE_TRY(validate(options));
  std::optional<text::Language> language;
  if (options.language != "auto") {
    language = text::find_language(options.language);
    if (!language)
      return invalid_argument("language",
                              "language must be auto, none, or the ISO 639-1 code of a language with a stemmer, not '" +
                                  options.language + "'");
  }
  auto server = KBASE_TRY(Server::make(http, clock, options));
  return std::unique_ptr<OpenSearchSearchIndex>(
      new OpenSearchSearchIndex(std::move(server), clock, std::move(options), language, log));
}

OpenSearchSearchIndex::OpenSearchSearchIndex(std::unique_ptr<Server> server, const ports::Clock& clock, Options options,
                                             std::optional<text::Language> language, ports::EventLog* log)
    : server_(std::move(server)),
      options_(std::move(options)),
      fingerprint_(describe_settings(options_)),
      reader_(*server_, make_alias(options_), "kbase-" + std::to_string(clock.now().time_since_epoch().count())),
      context_{*server_, clock, log, options_, make_alias(options_), language, {}, {}, {}, {}, {}, {}} {}

ports::SearchIndex::Capabilities OpenSearchSearchIndex::capabilities() const {
  Capabilities capabilities;
  capabilities.persistent = true;
  capabilities.stemming = context_.language != text::Language::None;
  capabilities.segmentation = true;
  capabilities.popularity_lag = true;
  capabilities.shared = true;
  capabilities.filters = true;
  capabilities.selections = true;
  capabilities.facets = true;
  capabilities.highlights = true;
  capabilities.describes = true;
  capabilities.options = true;
  capabilities.optional_words = true;
  capabilities.synonyms = true;
  return capabilities;
}

Result<ports::SearchResult> OpenSearchSearchIndex::search(ports::Call& call, const ports::SearchRequest& request,
                                                          Visitor<ports::SearchHit> visitor) {
  auto analyzer = acquire_analyzer();
  auto response = Search({*server_, reader_, context_.alias, *analyzer}, call, request).run(visitor);
  release_analyzer(std::move(analyzer));
  return response;
}

Result<ports::IndexState> OpenSearchSearchIndex::state(ports::Call& call) {
  ports::IndexState state;
  const auto found = reader_.read_published_state(call);
  if (!found && is_missing(found.error())) return state;
  if (!found) return found.error();
  // An incomplete batch can be written again on top of this state.
  if (found->state.is_open) {
    state.store_id = found->state.store_id;
    state.revision = found->state.revision;
    state.views_revision = found->state.views_revision;
    return state;
  }
  const auto summary = reader_.read_summary_of(call, *found);
  if (!summary && is_missing(summary.error())) return state;
  if (!summary) return summary.error();
  state.store_id = (*summary)->stored.state.store_id;
  state.revision = (*summary)->stored.state.revision;
  state.views_revision = found->state.views_revision;
  state.documents = (*summary)->documents;
  state.complete = true;
  return state;
}

Result<std::unique_ptr<ports::IndexWriter>> OpenSearchSearchIndex::begin(ports::Call& call, Build build,
                                                                         const model::StoreId& store_id) {
  auto slot = WriterSlot::acquire(context_);
  if (!slot) return conflict_error("this server is already writing a batch");
  if (build == Build::Rebuild) {
    auto writer = KBASE_TRY(RebuildWriter::begin(call, context_, *std::move(slot), store_id));
    return std::unique_ptr<ports::IndexWriter>(std::move(writer));
  }
  const auto published = reader_.read_published_state(call);
  if (!published) return is_missing(published.error()) ? rebuild_required() : published.error();
  auto writer = KBASE_TRY(UpdateWriter::begin(call, context_, *std::move(slot), *published, store_id));
  return std::unique_ptr<ports::IndexWriter>(std::move(writer));
}

Status OpenSearchSearchIndex::set_views(ports::Call& call, std::span<const ports::ItemViews> totals,
                                        model::ViewsRevision revision) {
  const auto published = reader_.read_state(call);
  if (!published) return require_published(published.error());
  context_.views.set(totals, published->index, published->state.views_revision, revision);
  return write_views(call, context_, *published);
}

/// Checks that all items can be displayed. OpenSearch verifies its own files when it reads them.
Status OpenSearchSearchIndex::verify(ports::Call& call) {
  const auto summary = reader_.read(call);
  if (!summary) return require_published(summary.error());
  const Json displayable = {{"query",
                             {{"bool",
                               {{"filter", Json::array({{{"term", {{"kind", kItem}}}},
                                                        {{"exists", {{"field", "id"}}}},
                                                        {{"exists", {{"field", "updated"}}}},
                                                        {{"exists", {{"field", "views"}}}}})}}}}}};
  const auto counted = KBASE_TRY(server_->execute(
      call, {.path = "/" + context_.alias + "/_count?" + reader_.preference(), .body = serialize(displayable)}));
  const auto count = number(counted, "count");
  // A state published between the two requests is not damage.
  const auto after = reader_.read(call);
  if (!after) return require_published(after.error());
  if (count == (*summary)->documents || !(*after)->is_of((*summary)->stored)) return {};
  return Error{ErrorCode::Corrupt, "The search index is damaged.",
               std::to_string(count.value_or(0)) + " of " + std::to_string((*summary)->documents) +
                   " items are complete; run `kbase index rebuild`"};
}

Status OpenSearchSearchIndex::health(ports::Call& call) {
  const auto found = reader_.read_state(call);
  return found ? Status() : require_published(found.error());
}

std::unique_ptr<text::Analyzer> OpenSearchSearchIndex::acquire_analyzer() {
  const std::lock_guard lock(mutex_);
  if (analyzers_.empty()) return std::make_unique<text::Analyzer>();
  auto analyzer = std::move(analyzers_.back());
  analyzers_.pop_back();
  return analyzer;
}

void OpenSearchSearchIndex::release_analyzer(std::unique_ptr<text::Analyzer> analyzer) {
  const std::lock_guard lock(mutex_);
  analyzers_.push_back(std::move(analyzer));
}

}  // namespace kbase::opensearch
