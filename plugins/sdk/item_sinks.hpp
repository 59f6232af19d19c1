// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/translation.hpp"

/// Visitors that pass items and categories from a port to a C sink.
namespace kbase::sdk {

class Items : public Sink<kb_item_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const model::ItemView& item) {
    const kb_item row = to_c_.item(item);
    return lend(&row);
  }

 private:
  RowToC to_c_;
};

class Summaries : public Sink<kb_item_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const model::ItemSummaryView& summary) {
    const kb_item row = to_c_.summary(summary);
    return lend(&row);
  }

 private:
  RowToC to_c_;
};

class Categories : public Sink<kb_category_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const model::CategoryView& category) {
    const kb_category row = to_c_.category(category);
    return lend(&row);
  }

 private:
  RowToC to_c_;
};

}  // namespace kbase::sdk
