// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "app/plugin_host/row_sink.hpp"
#include "plugins/sdk/small_array.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::plugin_host {

using ItemSink = RowSink<ItemReader, model::ItemView, const kb_item*>;
using SummarySink = RowSink<ItemReader, model::ItemSummaryView, const kb_item*>;
using CategorySink = RowSink<CategoryReader, model::CategoryView, const kb_category*>;
using ChangeSink = RowSink<ChangeReader, ports::Change, const kb_change*>;
using CategoryViewsSink = RowSink<CategoryViewsReader, ports::CategoryViews, kb_view, kb_view, std::uint64_t>;

/// Ids converted for a plugin. Up to 64 need no heap allocation.
class LentIds {
 public:
  explicit LentIds(std::span<const std::string_view> ids) : views_(room_.of(ids.size())) {
    std::transform(ids.begin(), ids.end(), views_.begin(), sdk::view_of);
  }
  const kb_view* data() const noexcept { return views_.data(); }
  std::size_t size() const noexcept { return views_.size(); }

 private:
  sdk::SmallArray<kb_view, 64> room_;
  std::span<kb_view> views_;
};

}  // namespace kbase::plugin_host
