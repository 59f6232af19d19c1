// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/search_index.h>

#include <string>
#include <vector>

#include "app/plugin_host/call_frame.hpp"
#include "app/plugin_host/lent_rows.hpp"
#include "app/plugin_host/lent_text.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::plugin_host {

/// The sinks of a search: passes hits to the visitor and stores corrections and facets. See RowSink.
class SearchSink {
 public:
  SearchSink(CallFrame& frame, model::Visitor<ports::SearchHit> visitor, std::uint64_t limit) noexcept
      : frame_(frame), visitor_(visitor) {
    frame.attach(*this, limit);
  }

  static std::int32_t hit(void* data, const kb_hit* hit) noexcept {
    SearchSink* const self = CallFrame::sink_of<SearchSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    return self->frame_.take_row(self->reader_, self->row_, self->visitor_, hit);
  }

  static void correction(void* data, kb_view word, kb_view replacement) noexcept {
    SearchSink* const self = CallFrame::sink_of<SearchSink>(data);
    if (self == nullptr) return;
    try {
      self->keep(word, replacement);
    } catch (...) {
      self->frame_.park();
    }
  }

  static void facet(void* data, std::int32_t facet, kb_view value, std::uint64_t items) noexcept {
    SearchSink* const self = CallFrame::sink_of<SearchSink>(data);
    if (self == nullptr) return;
    try {
      self->keep(facet, value, items);
    } catch (...) {
      self->frame_.park();
    }
  }

  std::vector<ports::Correction>& corrections() noexcept { return corrections_; }
  ports::Facets& facets() noexcept { return facets_; }

 private:
  /// Maximum number of nodes of a query.
  static constexpr std::size_t kMostCorrections = 512;

  void keep(kb_view word, kb_view replacement) {
    if (!is_word(word) || !is_word(replacement) || corrections_.size() == kMostCorrections) {
      frame_.report_violation("told a correction that is none, or more than a query has words");
      return;
    }
    corrections_.push_back({std::string(sdk::text_of(word)), std::string(sdk::text_of(replacement))});
  }

  void keep(std::int32_t facet, kb_view value, std::uint64_t items) {
    const bool is_known = facet == KB_FACET_CATEGORY || facet == KB_FACET_TAG;
    std::vector<ports::FacetValue>& values = facet == KB_FACET_CATEGORY ? facets_.categories : facets_.tags;
    if (!is_known || !is_word(value) || items == 0 || values.size() == ports::kMaxFacetValues) {
      frame_.report_violation("told a facet's value that is none, or more than there may be");
      return;
    }
    values.push_back({std::string(sdk::text_of(value)), items});
  }

  static bool is_word(kb_view word) { return word.size > 0 && is_sound(word) && is_utf8(sdk::text_of(word)); }

  CallFrame& frame_;
  model::Visitor<ports::SearchHit> visitor_;
  HitReader reader_;
  ports::SearchHit row_;
  std::vector<ports::Correction> corrections_;
  ports::Facets facets_;
};

}  // namespace kbase::plugin_host
