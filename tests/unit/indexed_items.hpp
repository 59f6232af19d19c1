// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string_view>
#include <vector>

#include "domain/model/item.hpp"
#include "tests/support/memory_index/memory_search_index.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {

/// An item as a test defines it.
struct Written {
  std::string_view id;
  std::string_view title;
  std::string_view content = {};
  std::vector<std::string_view> tags = {};
  std::vector<std::string_view> related = {};
  std::uint64_t views = 0;

  model::ItemView view() const {
    model::ItemView item;
    item.id = id;
    item.title = title;
    item.category = "shelf";
    item.content = content;
    item.tags = tags;
    item.related = related;
    item.metadata.views = views;
    item.metadata.updated = model::Day(std::chrono::days(20'000));
    return item;
  }
};

/// Replaces the content of an index with these items.
inline void index(ports::SearchIndex& index, const std::vector<Written>& all) {
  ports::Call call;
  auto writer = index.begin(call, ports::SearchIndex::Build::Rebuild, {1});
  ASSERT_TRUE(succeeded(writer));
  for (const Written& each : all) {
    const model::ItemView item = each.view();
    const model::ItemView* const one[] = {&item};
    ASSERT_TRUE(succeeded((*writer)->put(call, one)));
  }
  ASSERT_TRUE(succeeded((*writer)->commit(call, 1)));
}

}  // namespace kbase::tests
