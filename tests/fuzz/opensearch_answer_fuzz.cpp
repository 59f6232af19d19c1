// SPDX-License-Identifier: Apache-2.0
// Any response of OpenSearch is read or rejected, and the values read are within their bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/search.hpp"

using namespace kbase;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto answer = opensearch::parse({reinterpret_cast<const char*>(data), size});
  if (!answer) return 0;
  const auto page = opensearch::parse_page(*answer);
  if (page)
    for (const opensearch::PageHit& hit : page->hits)
      if (hit.id.empty() || !(hit.score > 0) || !(hit.score <= page->best_score)) std::abort();
  if (const auto found = opensearch::parse_state(*answer)) {
    opensearch::Json again{{"_source", opensearch::make_state_document(found->state)}, {"_index", found->index}};
    const auto same = opensearch::parse_state(again);
    if (!same || same->state.revision != found->state.revision || same->state.store_id != found->state.store_id)
      std::abort();
  }
  opensearch::DocumentMaker maker(text::Language::None);
  if (const auto lines = maker.update_views(*answer, 3); lines && !opensearch::parse(lines->document)) std::abort();
  return 0;
}
