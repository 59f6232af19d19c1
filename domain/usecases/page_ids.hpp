// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "domain/base/result.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::usecases {

/// Decides how the pages of `source` get their ids, and sets it in the source. `owner` is the source that owns its
/// items. InvalidArgument: AsBefore, and the stored pages have ids by name that no source owns, as kbase 1.0 gave them:
/// the user has to choose once. The message says how many of the first 500 pages are concerned.
Status choose_page_ids(ports::Call& call, ports::ItemStore& items, ports::ContentSource& source, std::string_view owner,
                       ports::PageIdChoice choice);

}  // namespace kbase::usecases
