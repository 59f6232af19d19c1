// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/memory/activity_store.hpp"
#include "adapters/memory/api_key_store.hpp"
#include "adapters/memory/item_store.hpp"
#include "domain/usecases/transfer_base.hpp"
#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/unit/memory_backup.hpp"

namespace kbase::tests {

/// Records the events of a backup or restore.
class BackupRecorder final : public ports::BackupObserver {
 public:
  void on_progress(Step step, std::optional<double> fraction, std::uint64_t records) override {
    progress.push_back(std::to_string(static_cast<int>(step)) + ' ' + std::to_string(fraction.value_or(-1)) + ' ' +
                       std::to_string(records));
  }
  void on_omission(std::string_view what) override { omissions.emplace_back(what); }

  std::vector<std::string> progress, omissions;
};

/// A knowledge base in memory.
struct Base {
  explicit Base(std::string_view name = "kbase") : instance(name) {}

  conformance::ManualClock clock;
  CountingRandom random;
  memory::MemoryItemStore items{random, clock};
  memory::MemoryActivityStore activity;
  memory::MemoryApiKeyStore keys;
  std::string_view instance;
  ports::Call call;
  BackupRecorder events;

  usecases::TransferBase transfer() {
    return usecases::TransferBase({items, activity, keys, kPlainMarkup, clock, instance});
  }
  Result<ports::BackupSummary> back_up(ports::BackupSink& sink) { return transfer().back_up(call, sink, events); }
  Result<ports::BackupSummary> restore(ports::BackupSource& source, std::string_view from_instance = {}) {
    return transfer().restore(call, source, from_instance, events);
  }

  static model::Day day(std::string_view text) { return *model::parse_day(text); }

  void add_views(std::uint8_t journal, std::uint64_t sequence, const std::vector<ports::ViewIncrement>& increments) {
    EXPECT_TRUE(succeeded(activity.add(call, {journal}, sequence, increments)));
  }

  model::ApiKey add_key(const std::string& id) {
    model::ApiKey key;
    key.id = id;
    key.name = "Name of " + id;
    key.plan = "developer";
    key.digest = {static_cast<std::uint8_t>(id.back())};
    key.created = model::Instant(std::chrono::milliseconds(1'795'359'552'625));
    EXPECT_TRUE(succeeded(keys.create(call, key)));
    return key;
  }

  void add_use(std::string_view key, std::string_view on, std::uint64_t requests) {
    const ports::KeyUsage usage[] = {{key, day(on), requests}};
    EXPECT_TRUE(succeeded(keys.add_usage(call, usage)));
  }

  void set_synonyms() {
    const std::string_view words[] = {"k8s", "kubernetes"};
    const model::SynonymsView synonyms{{}, words, "docs"};
    const model::SynonymsView* const all[] = {&synonyms};
    auto writer = items.begin(call);
    ASSERT_TRUE(succeeded(writer));
    ASSERT_TRUE(succeeded((*writer)->set_synonyms(call, all)));
    ASSERT_TRUE(succeeded((*writer)->commit(call)));
  }

  /// Adds two items and two categories (one changed in a later batch), synonyms, two keys with usage, and views.
  void fill() {
    using conformance::category_of;
    using conformance::item_of;
    ASSERT_TRUE(succeeded(conformance::commit(
        items, {{category_of("shelf"), category_of("box")}, {item_of("a"), item_of("b", "box")}, {}, {}})));
    ASSERT_TRUE(succeeded(conformance::commit(items, {{category_of("box")}, {}, {}, {}})));
    set_synonyms();
    add_key("k1");
    add_key("k2");
    add_use("k1", "2026-03-01", 3);
    add_use("k1", "2026-03-02", 4);
    add_use("configured", "2026-03-02", 1);
    add_views(7, 5, {{"a", day("2026-03-02"), 2}, {"a", day("2026-03-01"), 1}, {"gone", day("2026-03-01"), 9}});
  }
};

}  // namespace kbase::tests
