// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/opensearch_search_index.hpp"

#include <utility>

#include "adapters/opensearch/failure.hpp"
#include "adapters/opensearch/schema.hpp"
#include "adapters/opensearch/search.hpp"

namespace kbase::opensearch {
namespace {

constexpr std::size_t kLongestName = 180;  // OpenSearch's limit is 255 bytes, including our suffix

bool is_index_name(std::string_view name) {
  constexpr std::string_view kSigns = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
  return !name.empty() && name.size() <= kLongestName && name.find_first_not_of(kSigns) == name.npos &&
         kSigns.substr(0, 36).find(name.front()) != name.npos;
}

model::Status check(const Options& options) {
  if (!is_index_name(options.index))
    return model::invalid_argument("index",
                                   "index must begin with a letter or digit and be of lower case letters, digits, '-', "
                                   "'_' and '.', as OpenSearch names indices, not '" +
                                       options.index + "'");
  if (options.bulk_bytes == 0) return model::invalid_argument("bulk_bytes", "bulk_bytes must be at least 1");
  return {};
}

bool is_missing(const model::Error& error) {
  return error.code == model::ErrorCode::NotFound;
}

}  // namespace

model::Result<std::unique_ptr<OpenSearchSearchIndex>> OpenSearchSearchIndex::open(ports::HttpClient* http,
                                                                                  const ports::Clock& clock,
                                                                                  Options options,
                                                                                  ports::EventLog* log) {
  if (const auto checked = check(options); !checked) return checked.error();
  std::optional<text::Language> language;
  if (options.language != "auto") {
    language = text::language_named(options.language);
    if (!language)
      return model::invalid_argument(
          "language", "language must be auto, none or the ISO 639-1 code of a language that has a stemmer, not '" +
                          options.language + "'");
  }
  auto server = Server::make(http, clock, options);
  if (!server) return server.error();
  return std::unique_ptr<OpenSearchSearchIndex>(
      new OpenSearchSearchIndex(*std::move(server), clock, std::move(options), language, log));
}

OpenSearchSearchIndex::OpenSearchSearchIndex(std::unique_ptr<Server> server, const ports::Clock& clock, Options options,
                                             std::optional<text::Language> language, ports::EventLog* log)
    : server_(std::move(server)),
      options_(std::move(options)),
      fingerprint_(settings_of(options_)),
      reader_(*server_, alias_of(options_), "kbase-" + std::to_string(clock.now().time_since_epoch().count())),
      context_{*server_, clock, log, options_, alias_of(options_), language, {}, {}, {}, {}, {}, {}} {}

ports::SearchIndex::Capabilities OpenSearchSearchIndex::capabilities() const {
  Capabilities capabilities;
  capabilities.persistent = true;
  capabilities.stemming = context_.language != text::Language::None;
  capabilities.segmentation = true;
  capabilities.popularity_lag = true;
  capabilities.shared = true;
  capabilities.filters = true;
  capabilities.facets = true;
  capabilities.highlights = true;
  return capabilities;
}

model::Result<ports::SearchAnswer> OpenSearchSearchIndex::search(ports::Call& call, const ports::SearchRequest& request,
                                                                 model::Visitor<ports::SearchHit> visitor) {
  auto analyzer = take_analyzer();
  auto answer = Search({*server_, reader_, context_.alias, *analyzer}, call, request).run(visitor);
  give_back(std::move(analyzer));
  return answer;
}

model::Result<ports::IndexState> OpenSearchSearchIndex::state(ports::Call& call) {
  ports::IndexState state;
  const auto found = reader_.published(call);
  if (!found && is_missing(found.error())) return state;
  if (!found) return found.error();
  // An incomplete batch can be written again on top of this state.
  if (found->state.is_open) {
    state.store_id = found->state.store_id;
    state.revision = found->state.revision;
    state.views_revision = found->state.views_revision;
    return state;
  }
  const auto contents = reader_.contents_of(call, *found);
  if (!contents && is_missing(contents.error())) return state;
  if (!contents) return contents.error();
  state.store_id = (*contents)->found.state.store_id;
  state.revision = (*contents)->found.state.revision;
  state.views_revision = found->state.views_revision;
  state.documents = (*contents)->documents;
  state.complete = true;
  return state;
}

model::Result<std::unique_ptr<ports::IndexWriter>> OpenSearchSearchIndex::begin(ports::Call& call, Build build,
                                                                                const model::StoreId& store_id) {
  auto place = Place::take(context_);
  if (!place) return written_by_another("this server writes a batch already");
  if (build == Build::Rebuild) {
    auto writer = RebuildWriter::begin(call, context_, *std::move(place), store_id);
    if (!writer) return writer.error();
    return std::unique_ptr<ports::IndexWriter>(*std::move(writer));
  }
  const auto published = reader_.published(call);
  if (!published) return is_missing(published.error()) ? nothing_to_update() : published.error();
  auto writer = UpdateWriter::begin(call, context_, *std::move(place), *published, store_id);
  if (!writer) return writer.error();
  return std::unique_ptr<ports::IndexWriter>(*std::move(writer));
}

model::Status OpenSearchSearchIndex::set_views(ports::Call& call, std::span<const ports::ItemViews> totals,
                                               model::ViewsRevision revision) {
  const auto published = reader_.state(call);
  if (!published) return unpublished(published.error());
  context_.views.set(totals, published->index, published->state.views_revision, revision);
  return write_views(call, context_, *published);
}

/// Checks that all items can be displayed. OpenSearch verifies its own files when it reads them.
model::Status OpenSearchSearchIndex::verify(ports::Call& call) {
  const auto contents = reader_.look(call);
  if (!contents) return unpublished(contents.error());
  const Json shown = {{"query",
                       {{"bool",
                         {{"filter", Json::array({{{"term", {{"kind", kItem}}}},
                                                  {{"exists", {{"field", "id"}}}},
                                                  {{"exists", {{"field", "updated"}}}},
                                                  {{"exists", {{"field", "views"}}}}})}}}}}};
  const auto counted =
      server_->ask(call, {.path = "/" + context_.alias + "/_count?" + reader_.copy(), .body = written(shown)});
  if (!counted) return counted.error();
  const auto count = number(*counted, "count");
  // A state published between the two requests is not damage.
  const auto after = reader_.look(call);
  if (!after) return unpublished(after.error());
  if (count == (*contents)->documents || !(*after)->is_of((*contents)->found)) return {};
  return model::Error{model::ErrorCode::Corrupt,
                      "The search index is damaged.",
                      "of " + std::to_string((*contents)->documents) + " items " + std::to_string(count.value_or(0)) +
                          " are whole; `kbase index rebuild` makes them anew",
                      {},
                      {}};
}

model::Status OpenSearchSearchIndex::health(ports::Call& call) {
  const auto found = reader_.state(call);
  return found ? model::Status() : unpublished(found.error());
}

std::unique_ptr<text::Analyzer> OpenSearchSearchIndex::take_analyzer() {
  const std::lock_guard lock(mutex_);
  if (analyzers_.empty()) return std::make_unique<text::Analyzer>();
  auto analyzer = std::move(analyzers_.back());
  analyzers_.pop_back();
  return analyzer;
}

void OpenSearchSearchIndex::give_back(std::unique_ptr<text::Analyzer> analyzer) {
  const std::lock_guard lock(mutex_);
  analyzers_.push_back(std::move(analyzer));
}

}  // namespace kbase::opensearch
