// SPDX-License-Identifier: Apache-2.0
// How a search visits the hits of its page.
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "adapters/native_index/search/hit_texts.hpp"
#include "adapters/native_index/search/search.hpp"
#include "adapters/text/excerpt.hpp"

namespace kbase::native_index {

float Search::get_score(const Hit& hit) {
  if (sorts_by_score()) return hit.score;
  if (request_.query == nullptr) return 1;
  for (const Hit& each : best_)
    if (each.segment == hit.segment && each.document == hit.document) return each.score;
  const std::uint16_t document[] = {static_cast<std::uint16_t>(hit.document % kWindowDocuments)};
  return workspace_.ranker.scores(plans_[hit.segment].scored, hit.document / kWindowDocuments, document)[0];
}

Status Search::visit_page(Visitor<ports::SearchHit> visitor) {
  const text::ExcerptMaker excerpts(query_);
  const double best_score = request_.query == nullptr || best_.empty() ? 1 : static_cast<double>(best_.front().score);
  std::vector<std::optional<HitTexts>> texts(plans_.size());
  IdBuffer id;
  text::HitHighlights highlights;
  std::vector<std::string_view> tags;
  for (const Hit& each : page_) live(each.segment).segment->prefetch(each.document);
  for (const Hit& each : page_) {
    const Segment& segment = *live(each.segment).segment;
    if (!texts[each.segment]) texts[each.segment].emplace(segment, plans_[each.segment], excerpts, workspace_);
    const HitText* const text = KBASE_TRY(texts[each.segment]->read(each.document));
    const Details& details = text->details;
    const auto language = static_cast<text::Language>(segment.columns().languages()[each.document]);
    ports::SearchHit hit;
    hit.id = segment.columns().ids().id(each.document, id);
    hit.title = details.title;
    hit.category = segment.columns().category_names().name(segment.columns().category(each.document));
    hit.excerpt = text->excerpt;
    hit.relevance = static_cast<double>(get_score(each)) / best_score;
    if (request_.highlights) highlights = excerpts.highlights(workspace_.analyzer, hit.title, hit.excerpt, language);
    hit.title_highlights = highlights.title;
    hit.excerpt_highlights = highlights.excerpt;
    hit.has_row = true;
    hit.updated = model::Day(std::chrono::days(segment.columns().updated_day(each.document)));
    hit.url = details.url;
    tags = details.tags;
    if (tags.empty())
      segment.columns().visit_tags(each.document,
                                   [&](auto tag) { tags.push_back(segment.columns().tag_names().name(tag)); });
    hit.tags = tags;
    hit.views = get_views(each);
    if (text->section) hit.section = {text->section->heading, text->section->anchor};
    hit.language = details.language;
    hit.version = details.version;
    if (visitor(hit) == Visit::Stop) break;
  }
  return {};
}

}  // namespace kbase::native_index
