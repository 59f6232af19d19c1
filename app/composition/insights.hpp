// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "adapters/insight_page/insight_page.hpp"
#include "app/composition/parts.hpp"
#include "app/runtime/insight_collector.hpp"
#include "app/runtime/log_throttle.hpp"
#include "app/runtime/worker_pool.hpp"
#include "domain/usecases/report_insights.hpp"

namespace kbase::composition {

/// Returns nullopt if the configuration has no insights. Errors: those of InsightPage::open().
Result<std::optional<insight_page::InsightPage>> open_insight_page(const Environment& env);

/// What readers search for and say of items, and the thread that stores it.
class Insights {
 public:
  /// `page`: nullopt if the configuration has no insights. `env` and `storage` must outlive this object.
  Insights(Environment& env, Storage& storage, std::optional<insight_page::InsightPage> page);
  ~Insights() { stop(); }

  /// Null if the configuration has no insights.
  ports::Insights* port() { return collector_ ? &*collector_ : nullptr; }

  /// Returns the page for operators, which is up to a minute old; empty: not made yet. Any thread; never blocks.
  std::string page() const;

  /// Starts to store what is noted.
  void start();

  /// Stores what was noted until now, and ends.
  void stop();

 private:
  void store(bool at_end);
  void clean_up();
  void make_page();

  Environment& env_;
  std::optional<runtime::InsightCollector> collector_;
  std::optional<usecases::ReportInsights> reports_;
  const std::optional<insight_page::InsightPage> template_;
  mutable std::mutex page_mutex_;
  std::string page_;
  runtime::OncePerMinute warnings_;
  std::vector<std::unique_ptr<runtime::PeriodicTask>> tasks_;
};

}  // namespace kbase::composition
