// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/reference/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "tests/adapters/native_index/reference/playing.hpp"
#include "tests/adapters/native_index/reference/reference_index.hpp"

namespace kbase::tests {
namespace {

using Build = ports::SearchIndex::Build;
using Difference = std::optional<std::string>;

constexpr model::StoreId kStoreId = {4, 5, 6};
constexpr double kMostRelevanceApart = 1e-5;

std::string describe(const Error& error) {
  return std::string(name_of(error.code)) + ": " + error.message + " (" + error.detail + ")";
}

void append_description(std::ostringstream& out, std::string_view name, const std::vector<ports::FacetValue>& values) {
  out << ", " << name;
  for (const ports::FacetValue& each : values) out << " \"" << each.value << "\" " << each.items;
}

void append_description(std::ostringstream& out, std::string_view name,
                        const std::vector<model::Highlight>& highlights) {
  out << ' ' << name;
  for (const model::Highlight& mark : highlights) out << ' ' << mark.begin << '-' << mark.end;
}

std::string describe(const ReferenceIndex::Answer& answer) {
  std::ostringstream out;
  out << "total " << answer.total << (answer.rule == model::MatchRule::AllWords ? ", all words" : ", any word");
  for (const ports::Facet& facet : ports::kFacets) append_description(out, facet.name, answer.facets.*facet.values);
  for (const ReferenceIndex::Hit& hit : answer.hits) {
    out << "\n    " << hit.relevance << ' ' << hit.id << " title \"" << hit.title << "\" category " << hit.category
        << " excerpt \"" << hit.excerpt << '"';
    append_description(out, "title marks", hit.title_highlights);
    append_description(out, "excerpt marks", hit.excerpt_highlights);
  }
  return out.str();
}

bool is_same(const ReferenceIndex::Hit& a, const ReferenceIndex::Hit& b, bool scores) {
  return a.id == b.id && a.title == b.title && a.category == b.category && a.excerpt == b.excerpt &&
         a.title_highlights == b.title_highlights && a.excerpt_highlights == b.excerpt_highlights &&
         (!scores || std::abs(a.relevance - b.relevance) <= kMostRelevanceApart);
}

/// The index returns exactly the values that it must return.
bool is_same(const std::vector<ports::FacetValue>& got, const std::vector<ports::FacetValue>& all) {
  return std::equal(got.begin(), got.end(), all.begin(),
                    all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), ports::kMaxFacetValues)));
}

bool is_same(const ports::Facets& got, const ports::Facets& all) {
  return std::ranges::all_of(ports::kFacets,
                             [&](const ports::Facet& facet) { return is_same(got.*facet.values, all.*facet.values); });
}

class Comparison {
 public:
  explicit Comparison(const MakeIndex& make) : index_(make()), reference_(index_->language(), index_->stems()) {}

  Difference take(const Step& step) {
    return std::visit([this](const auto& each) { return happen(each); }, step);
  }

 private:
  ports::SearchIndex& port() { return index_->port(); }

  static Difference failed(std::string_view what, const Status& status) {
    if (status) return std::nullopt;
    return std::string(what) + " failed with " + describe(status.error());
  }

  Difference happen(const Batch& batch) {
    const Build build = complete_ ? batch.build : Build::Rebuild;
    const auto writer = port().begin(call_, build, kStoreId);
    if (!writer) return failed("begin", writer.error());
    if (Difference bad = failed("a change", write(**writer, call_, batch))) return bad;
    if (!batch.committed) return std::nullopt;
    if (Difference bad = failed("commit", (*writer)->commit(call_, ++revision_))) return bad;
    complete_ = true;
    if (build == Build::Rebuild) reference_.clear();
    for (const Batch::Change& change : batch.changes) {
      if (change.removed)
        reference_.remove(change.item.id);
      else
        reference_.put(change.item.item().view());
    }
    return std::nullopt;
  }

  Difference happen(const CountedViews& views) {
    for (const auto& [id, count] : views.totals) {
      reference_.set_views(id, count);
      totals_.insert_or_assign(id, count);
    }
    std::vector<ports::ItemViews> counted;
    for (const auto& [id, count] : views.totals) counted.push_back({id, count});
    return failed("set_views", port().set_views(call_, counted, ++views_revision_));
  }

  /// After each start, the host passes all counted views to the index.
  Difference happen(const Reopening&) {
    if (!index_->reopen() || views_revision_ == 0) return std::nullopt;
    std::vector<ports::ItemViews> counted;
    for (const auto& [id, count] : totals_) counted.push_back({id, count});
    return failed("set_views", port().set_views(call_, counted, views_revision_));
  }

  Difference happen(const Merging&) { return failed("the merge", index_->merge()); }

  Difference happen(const Verification&) {
    if (!complete_) return std::nullopt;
    if (Difference bad = failed("verify", port().verify(call_))) return bad;
    const auto state = port().state(call_);
    if (!state) return failed("state", state.error());
    if (state->complete && state->store_id == kStoreId && state->revision == revision_ &&
        state->views_revision == views_revision_ && state->documents == reference_.documents())
      return std::nullopt;
    std::ostringstream out;
    out << "the state has " << state->documents << " documents at revision " << state->revision << ", views "
        << state->views_revision << "; wanted " << reference_.documents() << " at " << revision_ << ", views "
        << views_revision_;
    return out.str();
  }

  Difference happen(const SampleSearch& search) {
    if (!complete_) return std::nullopt;
    const SampleRequest sample(search);
    if (!sample.is_valid()) return std::nullopt;
    return difference(sample.request());
  }

  Difference difference(ports::SearchRequest request) {
    ReferenceIndex::Answer got;
    const auto answer = port().search(call_, request, [&got](const ports::SearchHit& hit) {
      got.hits.push_back({std::string(hit.id),
                          std::string(hit.title),
                          std::string(hit.category),
                          std::string(hit.excerpt),
                          hit.relevance,
                          {hit.title_highlights.begin(), hit.title_highlights.end()},
                          {hit.excerpt_highlights.begin(), hit.excerpt_highlights.end()}});
      return Visit::Continue;
    });
    if (!answer) return failed("the search", answer.error());
    got.total = answer->total;
    got.rule = answer->rule;
    got.facets = answer->facets;
    if (answer->revision != revision_) return "the answer is of revision " + std::to_string(answer->revision);
    if (answer->views_revision != views_revision_)
      return "the answer is of views " + std::to_string(answer->views_revision);
    const ReferenceIndex::Corrections& corrections = answer->corrections;
    if (!port().capabilities().typo_tolerance && !corrections.empty()) return "it corrects words, which it can't";
    if (port().capabilities().typo_tolerance)
      if (Difference bad = reference_.defect_of(corrections, request)) return bad;
    const ReferenceIndex::Answer wanted = reference_.search(request, corrections);
    const bool same_scores = index_->has_scores_of_reference();
    const bool ranked = same_scores || request.sort != model::Sort::Relevance || request.query == nullptr;
    if (ranked ? is_page(got, wanted, same_scores) : is_any_page(got, wanted, request, corrections))
      return std::nullopt;
    return "  wanted: " + describe(wanted) + "\n  got: " + describe(got);
  }

  static bool is_page(const ReferenceIndex::Answer& got, const ReferenceIndex::Answer& wanted, bool scores) {
    return got.total == wanted.total && got.rule == wanted.rule && is_same(got.facets, wanted.facets) &&
           std::equal(got.hits.begin(), got.hits.end(), wanted.hits.begin(), wanted.hits.end(),
                      [scores](const auto& a, const auto& b) { return is_same(a, b, scores); });
  }

  /// Returns true if the hits are as many as on the page and all belong to the full result, in any order.
  bool is_any_page(const ReferenceIndex::Answer& got, const ReferenceIndex::Answer& wanted,
                   ports::SearchRequest request, const ReferenceIndex::Corrections& corrections) const {
    request.offset = 0;
    request.limit = std::numeric_limits<std::uint64_t>::max();
    std::vector<ReferenceIndex::Hit> all = reference_.search(request, corrections).hits;
    for (const ReferenceIndex::Hit& hit : got.hits) {
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const auto& each) { return is_same(each, hit, false); });
      if (found == all.end()) return false;
      all.erase(found);
    }
    return got.total == wanted.total && got.rule == wanted.rule && is_same(got.facets, wanted.facets) &&
           got.hits.size() == wanted.hits.size();
  }

  std::unique_ptr<IndexUnderTest> index_;
  ReferenceIndex reference_;
  ports::Call call_;
  bool complete_ = false;
  model::Revision revision_ = 0;
  model::ViewsRevision views_revision_ = 0;
  std::map<std::string, std::uint64_t> totals_;  // counted views by id
};

}  // namespace

std::optional<std::string> first_difference(const MakeIndex& make, const History& history) {
  Comparison comparison(make);
  for (const Step& step : history)
    if (Difference difference = comparison.take(step)) return difference;
  return std::nullopt;
}

}  // namespace kbase::tests
