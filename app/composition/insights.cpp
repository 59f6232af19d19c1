// SPDX-License-Identifier: Apache-2.0
#include "app/composition/insights.hpp"

#include <array>
#include <chrono>

#include "adapters/text/unicode.hpp"
#include "app/composition/configured_files.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {
namespace {

std::uint64_t random_number(ports::Random& random) {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  random.fill(bytes);
  std::uint64_t number = 0;
  for (const std::uint8_t byte : bytes) number = number << 8U | byte;
  return number;
}

constexpr std::chrono::seconds kStorePause{10};
constexpr std::chrono::minutes kPagePause{1};
constexpr std::chrono::minutes kCleanUpPause{10};

runtime::InsightCollector::Counters make_counters(ports::Metrics& metrics) {
  const auto searches = [&metrics](std::string_view result) {
    return &metrics.counter("kbase_insight_searches_total", "Searches that were noted for the operator.",
                            {{"result", result}});
  };
  const auto feedback = [&metrics](std::string_view helpful) {
    return &metrics.counter(
        "kbase_feedback_total",
        "Answers of readers to whether an item helped, also those that replace one of the same day.",
        {{"helpful", helpful}});
  };
  return {searches("some"), searches("none"),
          &metrics.counter("kbase_insight_clicks_total", "Searches after which a result was read.", {}),
          feedback("true"), feedback("false")};
}

}  // namespace

Result<std::optional<insight_page::InsightPage>> open_insight_page(const Environment& env) {
  if (!env.settings.insights.enabled) return std::optional<insight_page::InsightPage>();
  auto page = KBASE_TRY(insight_page::InsightPage::open(
      installed_folder() / "admin", {env.settings.explorer.title, env.settings.insights.min_clients}));
  return std::optional(std::move(page));
}

Insights::Insights(Environment& env, Storage& storage, std::optional<insight_page::InsightPage> page)
    : env_(env), template_(std::move(page)) {
  if (storage.stores.insights == nullptr) return;
  Platform& platform = env.platform;
  usecases::QueryTally::Limits limits;
  limits.min_clients = env.settings.insights.min_clients;
  collector_.emplace(runtime::InsightCollector::Dependencies{*storage.stores.insights, platform.digest, env.signatures,
                                                             platform.clock, text::fold_case},
                     limits, random_number(platform.random), make_counters(env.metrics));
  reports_.emplace(*storage.stores.insights, platform.clock);
}

void Insights::start() {
  if (!collector_) return;
  ports::Call call;
  static_cast<void>(collector_->load(
      call, env_.settings.insights.keep));  // without it, queries are unknown until they are asked again
  clean_up();                               // forgets the readers of the days before
  tasks_.push_back(std::make_unique<runtime::PeriodicTask>(kStorePause, [this] { store(false); }));
  if (env_.settings.admin.port)
    tasks_.push_back(std::make_unique<runtime::PeriodicTask>(kPagePause, [this] { make_page(); }));
  tasks_.push_back(std::make_unique<runtime::PeriodicTask>(kCleanUpPause, [this] { clean_up(); }));
}

void Insights::stop() {
  if (tasks_.empty()) return;
  tasks_.clear();
  store(true);
}

void Insights::store(bool at_end) {
  ports::Call call;
  const Status stored = collector_->store(call, at_end);
  if (stored || !warnings_.is_due(env_.platform.clock.steady())) return;
  const ports::LogField fields[] = {{"cause", runtime::log_cause(stored.error())}};
  env_.platform.log.log(ports::LogLevel::Warning, "insights.waiting",
                        "The counts of searches cannot be stored. They wait in memory.", fields);
}

std::string Insights::page() const {
  const std::lock_guard lock(page_mutex_);
  return page_;
}

void Insights::make_page() {
  ports::Call call;
  auto page = template_->make(call, *reports_, env_.platform.clock.now());
  if (!page) return;  // the page before stays, with its time
  const std::lock_guard lock(page_mutex_);
  page_ = *std::move(page);
}

void Insights::clean_up() {
  ports::Call call;
  static_cast<void>(collector_->clean_up(call, env_.settings.insights.keep));  // is tried again
}

}  // namespace kbase::composition
