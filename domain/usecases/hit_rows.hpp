// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::usecases {

/// Copies of the hits of one search, for what an index does not do: rows from the store, and one hit for each title.
/// Not thread-safe.
class HitRows {
 public:
  Visit add(const ports::SearchHit& hit);

  std::size_t size() const { return rows_.size(); }

  /// Keeps the first hit of each title. The others become its namesakes, at most ports::kMaxNamesakes. A hit without a
  /// title stays.
  void collapse_titles();

  /// Keeps `limit` hits from `offset` on.
  void keep(std::uint64_t offset, std::uint64_t limit);

  /// Adds the members that the index does not have. An item that was removed in the meantime keeps what the index has
  /// of it.
  Status complete(ports::Call& call, ports::ItemStore& items);

  void visit(Visitor<ports::SearchHit> visitor) const;

 private:
  struct Namesake {
    std::string id, language, version;
  };
  struct Row {
    std::string id, title, category, excerpt, url, heading, anchor, language, version;
    std::vector<std::string> tags;
    std::vector<model::Highlight> title_highlights, excerpt_highlights;
    std::vector<Namesake> namesakes;
    double relevance = 0;
    bool has_row = false;
    model::Day updated{};
    std::uint64_t views = 0;
  };

  std::vector<Row> rows_;
};

}  // namespace kbase::usecases
