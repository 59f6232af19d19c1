// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/custom_proxies.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "app/plugin_host/row_sink.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {
namespace {

/// Limit of a completion's text. The longest tokens have about 100 bytes, and no model returns so many.
constexpr std::uint64_t kMaxCompletionBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMaxModelBytes = 256;
/// Largest integer that a JSON number represents exactly (RFC 8259, section 6).
constexpr std::uint64_t kMaxTokens = (std::uint64_t{1} << 53) - 1;

/// Most calls have one request.
constexpr std::size_t kFewRequests = 4;

/// The two sinks of a snapshot, which share one `data`. See RowSink.
class SnapshotSink {
 public:
  SnapshotSink(CallFrame& frame, Visitor<ports::JournalMark> journals, Visitor<ports::ViewIncrement> counts) noexcept
      : frame_(frame),
        journals_(journals),
        counts_(counts),
        journal_reader_(frame.is_validating()),
        count_reader_(frame.is_validating()) {
    frame.attach(*this, kNoBound);
  }

  static std::int32_t receive_journal(void* data, const kb_journal_mark* row) noexcept {
    SnapshotSink* const self = CallFrame::sink_of<SnapshotSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    if (self->counts_begun_) return self->frame_.report_violation("passed a journal after the first count");
    return self->frame_.receive([&] { return self->journal_reader_.read(row); },
                                [&] { return self->journals_(self->journal_reader_.value()); });
  }

  static std::int32_t receive_count(void* data, const kb_view_count* row) noexcept {
    SnapshotSink* const self = CallFrame::sink_of<SnapshotSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    self->counts_begun_ = true;
    return self->frame_.receive([&] { return self->count_reader_.read(row); },
                                [&] { return self->counts_(self->count_reader_.value()); });
  }

 private:
  CallFrame& frame_;
  Visitor<ports::JournalMark> journals_;
  Visitor<ports::ViewIncrement> counts_;
  RowReader<kb_journal_mark, ports::JournalMark> journal_reader_;
  RowReader<kb_view_count, ports::ViewIncrement> count_reader_;
  bool counts_begun_ = false;
};

/// The violation in a decision; null: it is valid. The values of a window without a limit are undefined.
sdk::Violation check_decision(const ports::AcquireRequest& request, const kb_taken& taken) {
  ports::Decision decision;
  sdk::FromC from_c(true);
  if (request.limits.per_minute != 0) from_c.instant(taken.minute_reset_ms, decision.minute.reset);
  if (request.limits.per_day != 0) from_c.instant(taken.day_reset_ms, decision.day.reset);
  if (from_c.violation() != nullptr ||
      (request.limits.per_minute != 0 && taken.minute_remaining > request.limits.per_minute) ||
      (request.limits.per_day != 0 && taken.day_remaining > request.limits.per_day))
    return "returned a window that is impossible for the limits of the request";
  const bool is_account =
      taken.account == KB_ACCOUNT_OWN || (taken.account == KB_ACCOUNT_SHARED && request.has_fallback_bucket());
  return is_account ? nullptr : "charged an account that the request did not name";
}

/// The sinks of a completion: passes the text to the visitor and stores the end. See RowSink.
class CompletionSink {
 public:
  CompletionSink(CallFrame& frame, Visitor<std::string_view> visitor) noexcept
      : frame_(frame), visitor_(visitor), from_c_(frame.is_validating()) {
    frame.attach(*this, kNoBound);
  }

  static std::int32_t text(void* data, kb_view piece) noexcept {
    CompletionSink* const self = CallFrame::sink_of<CompletionSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    if (self->end_) return self->frame_.report_violation("passed text after the end");
    std::string_view text;
    return self->frame_.receive([&] { return self->read(piece, text); }, [&] { return self->visitor_(text); });
  }

  static void completion(void* data, const kb_completion* completion) noexcept {
    CompletionSink* const self = CallFrame::sink_of<CompletionSink>(data);
    if (self == nullptr) return;
    try {
      self->keep(completion);
    } catch (...) {
      self->frame_.store_exception();
    }
  }

  const std::optional<ports::Completion>& end() const noexcept { return end_; }

 private:
  sdk::Violation read(kb_view piece, std::string_view& text) {
    from_c_.text(piece, text);
    if (from_c_.violation() != nullptr) return from_c_.violation();
    if (text.empty()) return "passed an empty piece of text";
    return from_c_.text_bytes() <= kMaxCompletionBytes ? nullptr : "passed more than 64 MiB of text";
  }

  void keep(const kb_completion* completion) {
    RowReader<kb_completion, ports::Completion> reader(frame_.is_validating());
    sdk::Violation violation = reader.read(completion);
    if (end_) violation = "passed the end of the completion twice";
    if (violation == nullptr && reader.value().model.size() > kMaxModelBytes)
      violation = "passed a model whose name has more than 256 bytes";
    if (violation == nullptr &&
        (reader.value().prompt_tokens > kMaxTokens || reader.value().completion_tokens > kMaxTokens))
      violation = "passed a number of tokens above 2^53 - 1";
    if (violation != nullptr)
      frame_.report_violation(violation);
    else
      end_ = reader.value();
  }

  CallFrame& frame_;
  Visitor<std::string_view> visitor_;
  sdk::FromC from_c_;
  std::optional<ports::Completion> end_;
};

constexpr std::size_t kMaxFingerprintBytes = 4096;
/// Maximum number of nodes of a query.
constexpr std::size_t kMaxCorrections = 512;

/// The sinks of a search: passes hits to the visitor and stores corrections and facets. See RowSink.
class SearchSink {
 public:
  SearchSink(CallFrame& frame, Visitor<ports::SearchHit> visitor, std::uint64_t limit) noexcept
      : frame_(frame), visitor_(visitor), reader_(frame.is_validating()), from_c_(frame.is_validating()) {
    frame.attach(*this, limit);
  }

  static std::int32_t hit(void* data, const kb_hit* row) noexcept {
    SearchSink* const self = CallFrame::sink_of<SearchSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    return self->frame_.receive([&] { return self->reader_.read(row); },
                                [&] { return self->visitor_(self->reader_.value()); });
  }

  static void correction(void* data, kb_view word, kb_view replacement) noexcept {
    store(data, [&](SearchSink& self) { self.add_correction(word, replacement); });
  }

  static void facet(void* data, std::int32_t facet, kb_view value, std::uint64_t items) noexcept {
    store(data, [&](SearchSink& self) { self.add_facet(facet, value, items); });
  }

  /// What arrived besides the hits.
  ports::SearchResult& result() noexcept { return result_; }

 private:
  template <class Add> static void store(void* data, Add add) noexcept {
    SearchSink* const self = CallFrame::sink_of<SearchSink>(data);
    if (self == nullptr) return;
    try {
      add(*self);
    } catch (...) {
      self->frame_.store_exception();
    }
  }

  void add_correction(kb_view word, kb_view replacement) {
    std::string_view from, to;
    from_c_.name(word, from);
    from_c_.name(replacement, to);
    if (from_c_.violation() != nullptr || result_.corrections.size() == kMaxCorrections)
      frame_.report_violation("passed an invalid correction, or more than a query has words");
    else
      result_.corrections.push_back({std::string(from), std::string(to)});
  }

  void add_facet(std::int32_t facet, kb_view view, std::uint64_t items) {
    std::string_view value;
    from_c_.name(view, value);
    const auto index = static_cast<std::size_t>(facet);
    if (index < ports::kFacets.size() && from_c_.violation() == nullptr && items > 0) {
      std::vector<ports::FacetValue>& values = result_.facets.*ports::kFacets[index].values;
      if (values.size() < ports::kMaxFacetValues) return void(values.push_back({std::string(value), items}));
    }
    frame_.report_violation("passed an invalid value of a facet, or more than 100");
  }

  CallFrame& frame_;
  Visitor<ports::SearchHit> visitor_;
  RowReader<kb_hit, ports::SearchHit> reader_;
  sdk::FromC from_c_;
  ports::SearchResult result_;
};

/// Returns true if `hits` is the size of the requested page for `total` matches, or at most that if the visitor
/// stopped.
bool fits(std::uint64_t hits, std::uint64_t total, const ports::SearchRequest& request, bool stopped) {
  const std::uint64_t rest = total - std::min(total, request.offset);
  const std::uint64_t page = std::min(rest, request.limit);
  return stopped ? hits <= page : hits == page;
}

/// Returns true if no value has more items than there are matches.
bool fit(const ports::Facets& facets, std::uint64_t total) {
  return std::ranges::all_of(ports::kFacets, [&](const ports::Facet& facet) {
    return std::ranges::all_of(facets.*facet.values, [&](const auto& value) { return value.items <= total; });
  });
}

}  // namespace

Status ActivityStoreProxy::snapshot(ports::Call& call, Visitor<ports::JournalMark> journals,
                                    Visitor<ports::ViewIncrement> counts) {
  if (!KB_HAS(&table_, snapshot) || table_.snapshot == nullptr) return instance_->lacks("activity_store.snapshot");
  CallFrame frame = instance_->frame("activity_store.snapshot", call);
  SnapshotSink sink(frame, journals, counts);
  return frame.finish_rows(frame.run(table_.snapshot, handle_, frame.call(), SnapshotSink::receive_journal,
                                     SnapshotSink::receive_count, &sink));
}

Status RateLimitStoreProxy::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                    std::span<ports::Decision* const> decisions) {
  struct Pair {
    kb_take take;
    kb_taken taken;
  };
  std::array<Pair, kFewRequests> few;
  std::array<const kb_take*, kFewRequests> few_takes;
  std::array<kb_taken*, kFewRequests> few_taken;
  std::vector<Pair> many;
  std::vector<const kb_take*> many_takes;
  std::vector<kb_taken*> many_taken;
  const std::size_t count = requests.size();
  if (count > kFewRequests) {
    many.resize(count);
    many_takes.resize(count);
    many_taken.resize(count);
  }
  Pair* const pairs = count > kFewRequests ? many.data() : few.data();
  const kb_take** const takes = count > kFewRequests ? many_takes.data() : few_takes.data();
  kb_taken** const taken = count > kFewRequests ? many_taken.data() : few_taken.data();
  for (std::size_t i = 0; i < count; ++i) {
    pairs[i] = {sdk::to_c(*requests[i]), sdk::sized<kb_taken>()};
    takes[i] = &pairs[i].take;
    taken[i] = &pairs[i].taken;
  }

  CallFrame frame = instance_->frame("rate_limit_store.take", call);
  const kb_status status = frame.run(table_.take, handle_, frame.call(), takes, taken, count);
  for (std::size_t i = 0; status == KB_OK && i < count; ++i) {
    const ports::AcquireRequest& request = *requests[i];
    if (frame.is_validating())
      if (const sdk::Violation violation = check_decision(request, *taken[i])) frame.report_violation(violation);
    *decisions[i] = sdk::FromC().row<ports::Decision>(*taken[i]);
    if (request.limits.per_minute == 0) decisions[i]->minute = {};
    if (request.limits.per_day == 0) decisions[i]->day = {};
  }
  return frame.finish(status);
}

Status RateLimitStoreProxy::adjust(ports::Call& call, const ports::AcquireRequest& request,
                                   const ports::Decision& decision, std::uint32_t used) {
  if (!KB_HAS(&table_, settle) || table_.settle == nullptr) return instance_->lacks("rate_limit_store.settle");
  const kb_take take = sdk::to_c(request);
  sdk::ToC to_c;
  CallFrame frame = instance_->frame("rate_limit_store.settle", call);
  return frame.finish(
      frame.run(table_.settle, handle_, frame.call(), &take, &to_c.row<kb_taken>(decision), std::uint64_t{used}));
}

Result<ports::Completion> LanguageModelProxy::complete(ports::Call& call, const ports::Prompt& prompt,
                                                       Visitor<std::string_view> text) {
  sdk::ToC to_c;
  CallFrame frame = instance_->frame("language_model.complete", call);
  CompletionSink sink(frame, text);
  kb_status status = frame.run(table_.complete, handle_, frame.call(), &to_c.row<kb_completion_request>(prompt),
                               CompletionSink::text, CompletionSink::completion, &sink);
  if (status == KB_STOPPED && frame.stopped()) status = KB_CANCELLED;
  if (status == KB_OK && !sink.end()) frame.report_violation("returned KB_OK without the end of the completion");
  KBASE_TRY(frame.finish(status));
  return *sink.end();
}

Result<std::unique_ptr<SearchIndexProxy>> SearchIndexProxy::make(
    std::unique_ptr<InstanceOf<ports::SearchIndex>> instance) {
  kb_view view{};
  instance->run("search_index.fingerprint", [&] { view = instance->table().fingerprint(instance->object()); });
  if (view.size == 0 || view.size > kMaxFingerprintBytes || view.data == nullptr) {
    ports::Call call;
    CallFrame frame = instance->frame("search_index.fingerprint", call);
    frame.report_violation("returned a fingerprint that is not a text of 1 to 4,096 bytes");
    return frame.finish(KB_OK).error();
  }
  std::string fingerprint(sdk::text_of(view));
  return std::make_unique<SearchIndexProxy>(std::move(instance), std::move(fingerprint));
}

SearchIndexProxy::SearchIndexProxy(std::unique_ptr<InstanceOf<ports::SearchIndex>> instance, std::string fingerprint)
    : SearchIndexCalls(std::move(instance)), fingerprint_(std::move(fingerprint)) {}

Result<ports::SearchResult> SearchIndexProxy::search(ports::Call& call, const ports::SearchRequest& request,
                                                     Visitor<ports::SearchHit> visitor) {
  sdk::ToC to_c;
  kb_search_request c_request;
  to_c.fill(c_request, request);
  c_request.facet = SearchSink::facet;

  CallFrame frame = instance_->frame("search_index.search", call);
  SearchSink sink(frame, visitor, request.limit);
  auto answer = sdk::sized<kb_search_answer>();
  const kb_status status = frame.run(table_.search, handle_, frame.call(), &c_request, SearchSink::hit,
                                     SearchSink::correction, &sink, &answer);
  ports::SearchResult& result = sink.result();
  if (status >= KB_OK && !fits(frame.rows(), answer.total, request, frame.stopped()))
    frame.report_violation("passed a number of hits that contradicts its total");
  if (status >= KB_OK && !fit(result.facets, answer.total))
    frame.report_violation("passed a facet with more items than its total");
  KBASE_TRY(frame.finish_rows(status));
  sdk::FromC().read(answer, result);
  return std::move(result);
}

}  // namespace kbase::plugin_host
