// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/related_items.hpp"

#include <algorithm>
#include <utility>

namespace kbase::usecases {
namespace {

using Kind = model::QueryNode::Kind;

constexpr std::size_t kMostWords = 32;  // maximum number of words of the query; later words of a long title are less
                                        // significant

/// Adds each word of the text to the query.
void add_words(std::string_view text, model::QueryNode& root) {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  for (auto begin = text.begin(); root.children.size() < kMostWords;) {
    begin = std::find_if_not(begin, text.end(), is_space);
    if (begin == text.end()) return;
    const auto end = std::find_if(begin, text.end(), is_space);
    root.children.push_back({Kind::Word, std::string(begin, end), {}});
    begin = end;
  }
}

}  // namespace

model::Status RelatedItems::visit(ports::Call& call, std::string_view id, std::uint64_t limit,
                                  model::Visitor<ports::RelatedItem> visitor) {
  if (auto done = read(call, id); !done) return done;
  known_.emplace_back(id);
  if (auto done = hand_out(call, true, limit, visitor); !done || is_over_) return done;
  const std::uint64_t left = limit - std::min<std::uint64_t>(limit, known_.size() - 1);
  if (left == 0 || about_.children.empty()) return {};
  if (auto done = find_similar(call, left); !done) return done;
  return hand_out(call, false, left, visitor);
}

model::Status RelatedItems::read(ports::Call& call, std::string_view id) {
  return items_.get(call, id, [this](const model::ItemView& item) {
    ids_.assign(item.related.begin(), item.related.end());
    for (const std::string_view tag : item.tags) add_words(tag, about_);
    add_words(item.title, about_);
    return model::Visit::Stop;
  });
}

/// Any shared word matches. The index ranks rare words highest.
model::Status RelatedItems::find_similar(ports::Call& call, std::uint64_t limit) {
  ids_.clear();
  ports::SearchRequest request;
  request.query = &about_;
  request.limit = limit + known_.size();
  request.fallback_below = model::kAlwaysAnyWord;
  const auto found = index_.search(call, request, [&](const ports::SearchHit& hit) {
    if (std::find(known_.begin(), known_.end(), hit.id) == known_.end()) ids_.emplace_back(hit.id);
    return ids_.size() < limit ? model::Visit::Continue : model::Visit::Stop;
  });
  return found ? model::Status() : model::Status(found.error());
}

/// Visits the existing items of `ids_` that were not visited before.
model::Status RelatedItems::hand_out(ports::Call& call, bool is_stored, std::uint64_t limit,
                                     model::Visitor<ports::RelatedItem> visitor) {
  const std::vector<std::string_view> ids(ids_.begin(), ids_.end());
  if (ids.empty()) return {};
  std::uint64_t left = limit;
  return items_.summaries(call, ids, [&](const model::ItemSummaryView& item) {
    if (std::find(known_.begin(), known_.end(), item.id) != known_.end()) return model::Visit::Continue;
    known_.emplace_back(item.id);
    is_over_ = visitor({&item, is_stored}) == model::Visit::Stop || --left == 0;
    return is_over_ ? model::Visit::Stop : model::Visit::Continue;
  });
}

}  // namespace kbase::usecases
