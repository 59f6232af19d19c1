// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/row_sink.hpp"

#include <algorithm>

namespace kbase::plugin_host {
namespace {

bool is_continuation(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Returns true if the highlights are in order, do not overlap, lie within the text and do not split a UTF-8 character.
bool are_valid(std::span<const model::Highlight> highlights, std::string_view text) noexcept {
  std::size_t reached = 0;
  return std::all_of(highlights.begin(), highlights.end(), [&](const model::Highlight& each) {
    const bool fits = each.begin >= reached && each.begin < each.end && each.end <= text.size() &&
                      !is_continuation(text[each.begin]) &&
                      (each.end == text.size() || !is_continuation(text[each.end]));
    reached = each.end;
    return fits;
  });
}

}  // namespace

sdk::Violation RowCheck<ports::Change>::operator()(const ports::Change& change) noexcept {
  using Kind = ports::Change::Kind;
  if (change.revision <= last_) return "passed a change out of the order of revisions";
  last_ = change.revision;
  if ((change.kind == Kind::ItemPut) != (change.item != nullptr) ||
      (change.kind == Kind::CategoryPut) != (change.category != nullptr))
    return "passed a change whose record does not fit its kind";
  if ((change.item != nullptr && change.item->id != change.id) ||
      (change.category != nullptr && change.category->id != change.id))
    return "passed a change of one id with the record of another";
  return nullptr;
}

sdk::Violation RowCheck<ports::SearchHit>::operator()(const ports::SearchHit& hit) const noexcept {
  if (!(hit.relevance > 0 && hit.relevance <= 1)) return "passed a hit whose relevance is not above 0 and at most 1";
  if (!are_valid(hit.title_highlights, hit.title) || !are_valid(hit.excerpt_highlights, hit.excerpt))
    return "passed highlights that are outside their text, or not in order";
  return nullptr;
}

}  // namespace kbase::plugin_host
