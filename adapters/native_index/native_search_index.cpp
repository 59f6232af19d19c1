// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/native_search_index.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "adapters/native_index/commits/batch.hpp"
#include "adapters/native_index/search/search.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/text/analyzer.hpp"
#include "adapters/text/query.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

constexpr std::chrono::milliseconds kRetryAfter{1000};

}  // namespace

/// Writer of the index. Its destructor allows the next writer and wakes the merger.
class NativeSearchIndex::ExclusiveBatch final : public ports::IndexWriter {
 public:
  ExclusiveBatch(NativeSearchIndex& index, std::unique_ptr<Batch> batch) : index_(index), batch_(std::move(batch)) {}
  ExclusiveBatch(const ExclusiveBatch&) = delete;
  ExclusiveBatch& operator=(const ExclusiveBatch&) = delete;
  ~ExclusiveBatch() override {
    batch_.reset();
    index_.has_batch_ = false;
    if (index_.merger_) index_.merger_->wake();
  }

  Status put(ports::Call& call, std::span<const model::ItemView* const> items) override {
    return batch_->put(call, items);
  }
  Status remove(ports::Call& call, std::string_view id) override { return batch_->remove(call, id); }
  Status commit(ports::Call& call, model::Revision revision) override { return batch_->commit(call, revision); }

 private:
  NativeSearchIndex& index_;
  std::unique_ptr<Batch> batch_;
};

Result<std::unique_ptr<NativeSearchIndex>> NativeSearchIndex::open(const Options& options, Files& files,
                                                                   const ports::Clock& clock, ports::EventLog* log) {
  std::optional<text::Language> language;
  if (options.language != "auto") {
    language = text::find_language(options.language);
    if (!language)
      return invalid_argument(
          "language", "language must be auto, none or the ISO 639-1 code of a language that has a stemmer, not '" +
                          options.language + "'");
  }
  return std::unique_ptr<NativeSearchIndex>(new NativeSearchIndex(options, files, language, clock, log));
}

NativeSearchIndex::NativeSearchIndex(const Options& options, Files& files, std::optional<text::Language> language,
                                     const ports::Clock& clock, ports::EventLog* log)
    : options_(options),
      language_(language),
      settings_("native format " + std::to_string(kSegmentFormat) + " analysis " +
                std::to_string(text::kAnalysisVersion) + " language " + options.language),
      clock_(clock),
      folder_(files, options.path),
      dictionaries_(options.dictionaries),
      fingerprint_(settings_ + (options.corrects_typos ? " typos corrected but " + dictionaries_.names() : "")) {
  const bool is_built = files.stamp(options.path / kManifestName).has_value();
  if (options.merges) merger_.emplace(folder_, log, is_built ? options.other_formats : std::filesystem::path());
}

NativeSearchIndex::~NativeSearchIndex() = default;

ports::SearchIndex::Capabilities NativeSearchIndex::capabilities() const {
  Capabilities capabilities;
  capabilities.persistent = true;
  capabilities.inline_quick_search = true;
  capabilities.stemming = language_ != text::Language::None;
  capabilities.segmentation = true;
  capabilities.typo_tolerance = options_.corrects_typos;
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

Result<ports::SearchResult> NativeSearchIndex::search(ports::Call& call, const ports::SearchRequest& request,
                                                      Visitor<ports::SearchHit> visitor) {
  const auto snapshot = folder_.current(!call.is_quick);
  if (!snapshot) return call.is_quick ? not_ready_error() : unavailable_error();
  wake_merger(*snapshot);
  const WorkspacePool::Handle workspace = workspaces_.acquire();
  Search search(*snapshot, *workspace, request, call, clock_,
                {.corrects_typos = options_.corrects_typos, .dictionaries = &dictionaries_});
  auto answer = search.find();
  if (answer) answer->store_id = effective_store_id(*snapshot);
  const auto visited = answer ? search.visit_page(visitor) : Status(answer.error());
  if (visited) return answer;
  if (visited.error().code != ErrorCode::Corrupt) return visited.error();
  folder_.mark_damaged(*snapshot, visited.error());
  return unavailable_error();
}

Status NativeSearchIndex::complete(ports::Call&, std::string_view prefix, std::size_t limit,
                                   Visitor<ports::WordCompletion> visitor) {
  const auto snapshot = folder_.current();
  if (!snapshot) return unavailable_error();
  const WorkspacePool::Handle workspace = workspaces_.acquire();
  const std::optional<std::string> word = text::analyze_single_word(workspace->analyzer, prefix);
  if (!word) return {};
  const auto completions = KBASE_TRY(completions_.complete(*snapshot, workspace->analyzer, *word, limit));
  for (std::size_t i = 0; i < std::min(limit, completions->size()); ++i)
    if (visitor({(*completions)[i].name, (*completions)[i].items}) == Visit::Stop) break;
  return {};
}

/// Wakes the merger once per revision, including revisions that other processes committed.
void NativeSearchIndex::wake_merger(const Snapshot& snapshot) {
  if (merger_ && merged_revision_.exchange(snapshot.revision + 1, std::memory_order_relaxed) != snapshot.revision + 1)
    merger_->wake();
}

/// Until the rebuild after a change of settings, the index reports a store id derived from the old settings, so that
/// its replies are not mistaken for those of the rebuilt index.
model::StoreId NativeSearchIndex::effective_store_id(const Snapshot& snapshot) const {
  model::StoreId store_id = snapshot.store_id;
  if (snapshot.settings == settings_) return store_id;
  std::size_t rest = std::hash<std::string>()(snapshot.settings);
  for (std::size_t i = 0; i < sizeof rest; ++i, rest >>= 8) store_id[i] ^= static_cast<std::uint8_t>(rest);
  return store_id;
}

Result<ports::IndexState> NativeSearchIndex::state(ports::Call& call) {
  ports::IndexState state;
  const auto snapshot = folder_.current(!call.is_quick);
  if (!snapshot && call.is_quick) return not_ready_error();
  if (!snapshot) return state;
  state.store_id = effective_store_id(*snapshot);
  state.revision = snapshot->revision;
  state.views_revision = snapshot->views_revision;
  state.documents = snapshot->documents;
  state.complete = snapshot->settings == settings_;
  return state;
}

Result<std::unique_ptr<ports::IndexWriter>> NativeSearchIndex::begin(ports::Call&, Build build,
                                                                     const model::StoreId& store_id) {
  if (has_batch_.exchange(true))
    return Error{ErrorCode::Conflict, "The search index at " + options_.path.native() +
                                          " is already being written by another thread. Try again later."};
  auto batch = begin_batch(build, store_id);
  if (!batch) {
    has_batch_ = false;
    return batch.error();
  }
  return std::unique_ptr<ports::IndexWriter>(new ExclusiveBatch(*this, *std::move(batch)));
}

Result<std::unique_ptr<Batch>> NativeSearchIndex::begin_batch(Build build, const model::StoreId& store_id) {
  const auto lock = KBASE_TRY(folder_.lock());
  return Batch::begin({folder_, settings_, language_, options_.batch_bytes, options_.threads, build, store_id}, lock);
}

Status NativeSearchIndex::set_views(ports::Call&, std::span<const ports::ItemViews> totals,
                                    model::ViewsRevision revision) {
  folder_.set_views(totals, revision);
  return {};
}

Status NativeSearchIndex::verify(ports::Call& call) {
  auto verified = folder_.verify([&call] { return call.cancelled(); });
  if (verified || verified.error().code != ErrorCode::NotFound) return verified;
  return Error{ErrorCode::Unavailable, verified.error().message, verified.error().detail, {}, kRetryAfter};
}

Status NativeSearchIndex::health(ports::Call&) { return folder_.current() ? Status() : unavailable_error(); }

Result<bool> NativeSearchIndex::merge_now() {
  return merge_once(folder_, MergeScope::Due, [] { return false; });
}

Status NativeSearchIndex::merge_all() {
  const auto merged = merge_once(folder_, MergeScope::All, [] { return false; });
  return merged ? Status() : merged.error();
}

Error NativeSearchIndex::not_ready_error() { return {ErrorCode::Deadline, "The search index must be read first."}; }

Error NativeSearchIndex::unavailable_error() {
  return {ErrorCode::Unavailable, "The search index is being built.", folder_.problem().detail, {}, kRetryAfter};
}

}  // namespace kbase::native_index
