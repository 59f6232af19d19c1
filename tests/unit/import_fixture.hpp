// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/memory/activity_store.hpp"
#include "adapters/memory/item_store.hpp"
#include "domain/usecases/transfer_content.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/unit/listed_source.hpp"

namespace kbase::tests {

/// Records the events of an import, one line each.
class ImportRecorder final : public ports::ImportObserver {
 public:
  void on_progress(const ports::ContentSource& source, std::uint64_t records) override {
    progress.push_back(std::string(source.name()) + ' ' + std::to_string(records));
  }
  void on_reject(const ports::SourcePosition& position, std::string_view reason, std::string_view text) override {
    rejects.push_back(text_of(position) + ' ' + std::string(reason) + " <" + std::string(text) + '>');
  }
  void on_duplicate(const ports::SourcePosition& position, std::string_view id) override {
    duplicates.push_back(text_of(position) + ' ' + std::string(id));
  }
  void on_unknown(const ports::ContentRecord& record) override {
    for (const std::string_view name : record.unknown.ignored) unknown.push_back("ignored " + std::string(name));
    for (const std::string_view name : record.unknown.stored) unknown.push_back("stored " + std::string(name));
  }
  void on_nothing(const ports::ContentSource& source) override { empty_sources.emplace_back(source.name()); }
  void on_batch(const ports::ImportReport& so_far) override { batches.push_back(so_far); }

  std::vector<std::string> progress, rejects, duplicates, unknown, empty_sources;
  std::vector<ports::ImportReport> batches;

 private:
  static std::string text_of(const ports::SourcePosition& position) {
    return std::string(position.file) + ':' + std::to_string(position.line);
  }
};

/// Imports into in-memory stores. The initial date is 2026-03-14.
class ImportFixture : public testing::Test {
 protected:
  using Lines = std::vector<ListedSource::Line>;

  static model::Day day(std::string_view text) { return *model::parse_day(text); }

  Status import_sources(const std::vector<ports::ContentSource*>& sources, const ports::ImportOptions& options = {}) {
    events_ = {};
    report_ = {};
    return transfer_.import(call_, sources, options, events_, report_);
  }
  Status import(Lines lines, const ports::ImportOptions& options = {}) {
    ListedSource source("file", std::move(lines));
    return import_sources({&source}, options);
  }

  /// An item as "title/category created updated views", or "none" if there is no such item.
  std::string item(std::string_view id) {
    std::string text = "none";
    (void)items_.get(call_, id, [&](const model::ItemView& found) {
      text = std::string(found.title) + '/' + std::string(found.category) + ' ' +
             model::format_day(found.metadata.created) + ' ' + model::format_day(found.metadata.updated) + ' ' +
             std::to_string(found.metadata.views);
      return Visit::Continue;
    });
    return text;
  }

  /// Every category as "id=name(count)", sorted by name.
  std::string categories() {
    std::string text;
    EXPECT_TRUE(succeeded(items_.categories(call_, {0, 1000}, [&](const model::CategoryView& category) {
      text += std::string(text.empty() ? "" : " ") + std::string(category.id) + '=' + std::string(category.name) + '(' +
              std::to_string(category.item_count) + ')';
      return Visit::Continue;
    })));
    return text;
  }

  std::uint64_t item_count() { return items_.totals(call_, model::day_of(clock_.now()))->items; }

  model::Revision revision() { return *items_.revision(call_); }

  /// Every view count as "item YYYY-MM-DD views".
  std::vector<std::string> activity() {
    std::vector<std::string> counts;
    EXPECT_TRUE(succeeded(activity_.days(call_, [&](const ports::ViewIncrement& row) {
      counts.push_back(std::string(row.item) + ' ' + model::format_day(row.day) + ' ' + std::to_string(row.views));
      return Visit::Continue;
    })));
    return counts;
  }

  conformance::ManualClock clock_;
  CountingRandom random_;
  memory::MemoryItemStore items_{random_, clock_};
  memory::MemoryActivityStore activity_;
  usecases::TransferContent transfer_{items_, activity_, kPlainMarkup, clock_};
  ports::Call call_;
  ImportRecorder events_;
  ports::ImportReport report_;
};

}  // namespace kbase::tests
