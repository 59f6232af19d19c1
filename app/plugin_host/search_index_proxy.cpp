// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "app/plugin_host/custom_proxies.hpp"
#include "app/plugin_host/row_sink.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {
namespace {

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
  template <class Add>
  static void store(void* data, Add add) noexcept {
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
    const bool is_known = facet == KB_FACET_CATEGORY || facet == KB_FACET_TAG;
    auto& values = facet == KB_FACET_CATEGORY ? result_.facets.categories : result_.facets.tags;
    std::string_view value;
    from_c_.name(view, value);
    if (from_c_.violation() != nullptr || !is_known || items == 0 || values.size() == ports::kMaxFacetValues)
      frame_.report_violation("passed an invalid value of a facet, or more than 100");
    else
      values.push_back({std::string(value), items});
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
bool fit(const std::vector<ports::FacetValue>& values, std::uint64_t total) {
  return std::all_of(values.begin(), values.end(), [&](const ports::FacetValue& each) { return each.items <= total; });
}

}  // namespace

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
  if (status >= KB_OK && !(fit(result.facets.categories, answer.total) && fit(result.facets.tags, answer.total)))
    frame.report_violation("passed a facet with more items than its total");
  KBASE_TRY(frame.finish_rows(status));
  sdk::FromC().read(answer, result);
  return std::move(result);
}

}  // namespace kbase::plugin_host
