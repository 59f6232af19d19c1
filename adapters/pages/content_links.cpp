// SPDX-License-Identifier: Apache-2.0
#include "adapters/pages/content_links.hpp"

#include <algorithm>

#include "adapters/pages/addresses.hpp"
#include "domain/base/encoding.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::pages {

ContentLinks::ContentLinks(const model::ItemView& item) : id_(item.id) {
  for (const std::string_view id : item.related) related_.emplace(ascii::to_lower(id), id);
}

std::string ContentLinks::find(std::string_view target) const {
  const std::size_t end = std::min(target.find_first_of("?#"), target.size());
  const std::size_t hash = target.find('#', end);
  const std::string_view anchor = hash == target.npos ? std::string_view() : target.substr(hash + 1);
  const std::string path = ascii::to_lower(model::without_page_ending(percent_decoded(target.substr(0, end))));
  if (path.empty()) return {};
  const std::string id = ascii::to_lower(id_);
  // A page `guide/index` has the id `guide`, and `guide/setup` is often published as `guide/setup/`.
  for (const std::string_view folder : {model::path_folder(id), std::string_view(id), std::string_view()}) {
    const auto resolved = model::resolve_path(folder, path);
    if (!resolved) continue;
    const auto found = related_.find(model::page_key(*resolved));
    if (found != related_.end()) return item_address(found->second, percent_decoded(anchor));
  }
  return {};
}

}  // namespace kbase::pages
