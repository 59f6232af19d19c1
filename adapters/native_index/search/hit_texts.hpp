// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/native_index/search/query_plan.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/store/details.hpp"
#include "adapters/native_index/store/store.hpp"
#include "adapters/text/analyzer.hpp"
#include "adapters/text/excerpt.hpp"
#include "domain/base/result.hpp"
#include "domain/model/document.hpp"

namespace kbase::native_index {

/// What a hit shows besides its columns.
struct HitText {
  Details details;
  std::string excerpt;
  std::optional<model::Section> section;  ///< that contains the words of the excerpt
};

/// Reads the texts of the hits of one segment. It reads only those pieces of a long text that the positions of the
/// query's words name, so that the time of an excerpt does not grow with the text. Not thread-safe. All arguments must
/// outlive the object.
class HitTexts {
 public:
  HitTexts(const Segment& segment, const SegmentPlan& plan, const text::ExcerptMaker& maker, Workspace& workspace);

  /// The result is valid until the next call. Errors: as StoreReader::read().
  Result<const HitText*> read(std::uint32_t document);

 private:
  /// A position of a query word. A number from the number of query words on stands for a pair: two words that follow
  /// each other in the query and in the text.
  struct Occurrence {
    std::uint32_t position;
    std::uint32_t word;
  };
  /// Positions of the first and the last word of a part of the content.
  struct Part {
    std::uint32_t first, last;
  };

  Status read_details();
  Result<text::ExcerptSource> read_source(std::uint32_t document);
  Result<text::ExcerptSource> read_pieces(std::size_t first, std::size_t end);
  Result<std::size_t> find_piece(std::uint32_t position) const;
  Status find_section(std::size_t place);
  void find_words(std::uint32_t document);
  void add_pairs();
  Part find_best_part();

  const Segment& segment_;
  const SegmentPlan& plan_;
  const text::ExcerptMaker& maker_;
  text::Analyzer& analyzer_;
  StoreReader texts_;
  HitText hit_;
  std::size_t words_ = 0;      // that the item has
  bool has_unplaced_ = false;  // whether no position is known of one of them
  std::vector<Occurrence> occurrences_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace kbase::native_index
