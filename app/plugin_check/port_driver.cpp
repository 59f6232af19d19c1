// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/port_driver.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "adapters/curl/curl_http_client.hpp"
#include "adapters/curl/transfer_loop.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "adapters/system/system_crypto.hpp"
#include "app/plugin_check/guard.hpp"
#include "app/plugin_host/host_table.hpp"
#include "domain/base/result.hpp"
#include "plugins/conformance/suites.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::plugin_check {
namespace {

using conformance::FixtureOf;
using conformance::Report;
using conformance::Suite;

/// Discards the plugin's log messages.
class SilentLog final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override {}
};

/// An HTTP client for the server that the settings name, as a server creates it for a plugin.
class RealHttp {
 public:
  explicit RealHttp(const std::string& url) : loop_(std::move(*curl::TransferLoop::start())) {
    curl::ClientOptions options;
    options.service = "check";
    options.allowed_urls = {url};
    options.breaker.failures = 0;
    auto made = curl::CurlHttpClient::make(*loop_, {clock_, random_, log_, metrics_}, std::move(options));
    if (!made) throw std::runtime_error(made.error().message);
    client_ = *std::move(made);
  }

  ports::HttpClient& client() { return *client_; }

 private:
  system::SystemClock clock_;
  system::SystemRandom random_;
  SilentLog log_;
  prometheus::PrometheusMetrics metrics_;
  const std::unique_ptr<curl::TransferLoop> loop_;
  std::unique_ptr<curl::CurlHttpClient> client_;
};

/// The suites of these ports play the upstream service themselves.
template <class Port>
constexpr bool kHasFakeService = std::is_same_v<Port, ports::CodeHost> || std::is_same_v<Port, ports::LanguageModel>;

/// Null: the settings name no server that is reached through the host's HTTP client.
std::unique_ptr<RealHttp> real_http_of(const std::string& configuration) {
  const auto settings = nlohmann::json::parse(configuration);
  for (const char* const name : {"url", "base_url"})
    if (const std::string url = settings.value(name, ""); url.starts_with("http"))
      return std::make_unique<RealHttp>(url);
  return nullptr;
}

/// The capability of a port's table that its content survives the process; 0: no implementation persists anything.
template <class Port> constexpr std::uint32_t kCanPersist = 0;
template <> constexpr std::uint32_t kCanPersist<ports::ItemStore> = KB_ITEM_STORE_CAN_PERSIST;
template <> constexpr std::uint32_t kCanPersist<ports::ActivityStore> = KB_ACTIVITY_STORE_CAN_PERSIST;
template <> constexpr std::uint32_t kCanPersist<ports::ApiKeyStore> = KB_KEY_STORE_CAN_PERSIST;
template <> constexpr std::uint32_t kCanPersist<ports::AccountStore> = KB_ACCOUNT_STORE_CAN_PERSIST;
template <> constexpr std::uint32_t kCanPersist<ports::InsightStore> = KB_INSIGHT_STORE_CAN_PERSIST;
template <> constexpr std::uint32_t kCanPersist<ports::SearchIndex> = KB_SEARCH_INDEX_CAN_PERSIST;

/// A plugin's port behind the server's proxy. The fixture provides the host's clock and, unless the settings name a
/// server, the service that HTTP requests reach.
template <class Port> class PluginFixture final : public FixtureOf<Port>, public Instance {
 public:
  PluginFixture(const Suite<FixtureOf<Port>>& suite, const plugin_host::Plugin& plugin, Guard* guard,
                std::string configuration)
      : suite_(suite),
        table_(table_of(plugin, guard)),
        configuration_(std::move(configuration)),
        real_http_(kHasFakeService<Port> ? nullptr : real_http_of(configuration_)),
        host_(plugin, {this->clock, log_, nullptr, http(), true}) {}
  PluginFixture(const PluginFixture&) = delete;
  PluginFixture& operator=(const PluginFixture&) = delete;
  ~PluginFixture() override {
    port_.reset();
    Guard::forget(*host_.table());
  }

  Status open() {
    auto opened = KBASE_TRY(plugin_host::open_port<Port>(table_, host_, configuration_));
    port_ = std::move(opened);
    return {};
  }

  Port& port() override { return *port_; }

  bool reopen() override {
    if ((table_.capabilities & kCanPersist<Port>) == 0) return false;
    port_.reset();
    if (const auto opened = open(); !opened)
      throw std::runtime_error("create failed: " + opened.error().message + " (" + opened.error().detail + ")");
    return true;
  }

  Status health() override {
    ports::Call call;
    if constexpr (requires { port_->health(call); })
      return port_->health(call);
    else if constexpr (requires { port_->revision(call); })
      KBASE_TRY(port_->revision(call));
    return {};
  }

  std::shared_ptr<void> begin_batch() override {
    ports::Call call;
    if constexpr (std::is_same_v<Port, ports::ItemStore>) {
      if (auto writer = port_->begin(call)) return std::shared_ptr<void>(*std::move(writer));
    }
    return nullptr;
  }

  void run(std::size_t check, Report& report) override { suite_[check].run(*this, report); }

 private:
  using Binding = sdk::CBinding<Port>;

  static const typename Binding::Table& table_of(const plugin_host::Plugin& plugin, Guard* guard) {
    const auto& table = *plugin.table<typename Binding::Table>(Binding::kId);
    return guard != nullptr ? guard->wrap<Port>(table) : table;
  }

  ports::HttpClient* http() {
    if (real_http_ != nullptr) return &real_http_->client();
    return &this->upstream;
  }

  const Suite<FixtureOf<Port>>& suite_;
  const typename Binding::Table& table_;
  const std::string configuration_;
  const std::unique_ptr<RealHttp> real_http_;
  SilentLog log_;
  plugin_host::HostTable host_;
  std::unique_ptr<Port> port_;
};

template <class Port> class Driver final : public PortDriver {
 public:
  Driver(std::string_view header_name, std::string_view table_name, Suite<FixtureOf<Port>> suite,
         std::vector<std::string_view> smoke_checks)
      : PortDriver(sdk::CBinding<Port>::kId, header_name, table_name),
        suite_(std::move(suite)),
        smoke_checks_(std::move(smoke_checks)) {}

  Result<std::unique_ptr<Instance>> open(const plugin_host::Plugin& plugin, Guard* guard,
                                         std::string configuration) const override {
    auto fixture = std::make_unique<PluginFixture<Port>>(suite_, plugin, guard, std::move(configuration));
    KBASE_TRY(fixture->open());
    return std::unique_ptr<Instance>(std::move(fixture));
  }

  std::vector<SuiteCheck> suite() const override {
    std::vector<SuiteCheck> checks;
    for (const auto& check : suite_) checks.push_back({check.name, about(check.about)});
    return checks;
  }

  std::vector<std::size_t> smoke_checks() const override {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < suite_.size(); ++i)
      if (std::ranges::count(smoke_checks_, suite_[i].name) != 0) places.push_back(i);
    return places;
  }

 private:
  std::string about(std::string_view about) const {
    if (about.empty()) return std::string(table);
    if (about.starts_with("kb_") || about.starts_with("KB_")) return std::string(about);
    return std::string(table) + "." + std::string(about);
  }

  const Suite<FixtureOf<Port>> suite_;
  const std::vector<std::string_view> smoke_checks_;
};

}  // namespace

std::span<const PortDriver* const> port_drivers() {
  using namespace conformance;
  static const Driver<ports::ItemStore> items(
      "kbase/item_store.h", "kb_item_store_v1", item_store_suite(),
      {"ReturnsEveryMemberOfAnItem", "ReturnsEveryMemberOfACategory", "ReturnsSummariesInTheRequestedOrder",
       "SlicesHaveNoOverlapAndNoGap", "CategoryViewsAreExact", "ABatchReadsItsOwnWrites",
       "ChangesContainTheWholeRecord", "OneOwnerHoldsALease"});
  static const Driver<ports::ActivityStore> activity(
      "kbase/activity_store.h", "kb_activity_store_v1", activity_store_suite(),
      {"SumsViewsByItemAndDay", "TopOrdersByViewsThenId", "SetReplacesAllDays", "TotalsReturnChangedItems",
       "ASnapshotListsJournalsThenCounts"});
  static const Driver<ports::ApiKeyStore> keys(
      "kbase/key_store.h", "kb_key_store_v1", api_key_store_suite(),
      {"ReturnsEveryMember", "ListsById", "UpdateReplacesTheKey", "SumsUsageByKeyAndDay"});
  static const Driver<ports::SearchIndex> index(
      "kbase/search_index.h", "kb_search_index_v1", search_index_suite(),
      {"FindsWordsInTitleTagsAndContent", "ReportsItsState", "ReplacesAndRemovesItems", "KeepsCountedViewsOverBatches",
       "FiltersByTag", "FiltersByDay", "CountsFacets", "HighlightsMatches", "CompletesWords"});
  static const Driver<ports::RateLimitStore> limits(
      "kbase/rate_limit_store.h", "kb_rate_limit_store_v1", rate_limit_store_suite(),
      {"TheFirstRequestLeavesOneLess", "ABatchIsDecidedInOrder", "AnAdjustmentLeavesWhatWasUsed"});
  static const Driver<ports::Cache> cache(
      "kbase/cache.h", "kb_cache_v1", cache_suite(),
      {"ReturnsWhatWasPutOrMisses", "AnErasedValueIsGone", "KeysAndValuesAreBytes"});
  static const Driver<ports::CodeHost> code_host("kbase/code_host.h", "kb_code_host_v1", code_host_suite(),
                                                 {"AcceptsValidUsernames", "AnUnknownUserIsNotFound"});
  static const Driver<ports::LanguageModel> language_model("kbase/language_model.h", "kb_language_model_v1",
                                                           language_model_suite(),
                                                           {"ReturnsTheWholeText", "StreamsInPieces"});
  static const Driver<ports::AccountStore> accounts(
      "kbase/account_store.h", "kb_account_store_v1", account_store_suite(),
      {"ReturnsEveryMemberOfAnAccount", "ListsAccountsById", "UpdateReplacesStateAndPlan", "ATokenIsTakenOnce",
       "KeepsSessions", "AClaimedMailHasEveryMember", "AnUpdatedMailHasItsState"});
  static const Driver<ports::InsightStore> insights(
      "kbase/insight_store.h", "kb_insight_store_v1", insight_store_suite(),
      {"CountsAddUp", "FeedbackOfAReaderCountsOnceADay", "ForgetsOldDaysAndReaders"});
  static const Driver<ports::Mailer> mailer("kbase/mailer.h", "kb_mailer_v1", mailer_suite(),
                                            {"AcceptsAMail", "ASubjectIsOneLine"});
  static const PortDriver* const drivers[] = {&items,  &activity, &keys,      &accounts,       &insights, &index,
                                              &limits, &cache,    &code_host, &language_model, &mailer};
  return drivers;
}

}  // namespace kbase::plugin_check
