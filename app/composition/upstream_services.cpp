// SPDX-License-Identifier: Apache-2.0
#include "app/composition/upstream_services.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "adapters/curl/curl_http_client.hpp"
#include "adapters/curl/transfer_loop.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "app/composition/backends.hpp"
#include "app/config/version.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"
#include "domain/base/text.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::composition {
namespace {

constexpr std::size_t kFingerprintBytes = 16;

/// Returns the part of the cache key that does not depend on the user. It contains the program version, because another
/// version may write other documents, and the settings, because they select the repositories that are shown. Secrets
/// are masked in `settings.shown`, and the text is hashed.
std::string cache_prefix(const config::Settings& settings, const ports::Digest& digest) {
  const auto shown = nlohmann::json::parse(settings.shown, nullptr, /*allow_exceptions=*/false);
  const std::string config = shown.is_object() && shown.contains("codehost") ? shown["codehost"].dump() : "";
  const auto hash = digest.sha256(std::string(config::kVersion) + '\n' + config);
  return "user/" + to_hex(std::span(hash).first(kFingerprintBytes)) + '/';
}

usecases::LookUpUser::Options look_up_options(const config::Settings& settings, const ports::Digest& digest) {
  const config::CodeHost& codehost = settings.codehost;
  usecases::LookUpUser::Options options;
  options.cache_prefix = cache_prefix(settings, digest);
  options.fresh_for = codehost.fresh_for;
  options.keep_for = codehost.keep_for;
  options.unknown_for = codehost.unknown_for;
  options.cold_per_minute = codehost.cold_per_minute;
  options.cold_per_minute_keyless = codehost.cold_per_minute_keyless;
  return options;
}

usecases::PromptRules prompt_rules(const config::Llm& settings) {
  usecases::PromptRules rules;
  rules.default_model = settings.default_model;
  rules.allowed_models = settings.allowed_models;
  rules.max_tokens = settings.max_tokens;
  rules.default_max_tokens = settings.default_max_tokens;
  rules.max_prompt_bytes = settings.max_prompt_bytes;
  rules.tokens_per_day = settings.tokens_per_day;
  rules.idle_timeout = settings.idle_timeout;
  rules.stream_timeout = settings.stream_timeout;
  rules.log_prompts = settings.log_prompts;
  return rules;
}

/// Pause between health checks: short enough to notice a recovery soon, long enough to cause no load.
constexpr std::chrono::milliseconds kHealthCheckPause{15'000};
/// Timeout of a health check. Short, because stopping the task waits for a running check.
constexpr std::chrono::milliseconds kHealthCheckTimeout{3'000};

/// See CodeHostService::start_health_task().
template <class Port>
std::unique_ptr<runtime::PeriodicTask> start_task(ports::Service name, Port* port, const ports::Clock& clock,
                                                  runtime::HealthChecker& health) {
  if (port == nullptr) return nullptr;
  health.set(name, ports::ServiceState::Up);  // until a check fails
  return std::make_unique<runtime::PeriodicTask>(kHealthCheckPause, [name, port, &clock, &health] {
    ports::Call call;
    call.deadline = clock.steady() + kHealthCheckTimeout;
    health.record(name, port->health(call));
  });
}

constexpr std::array<const char*, 2> kUrlSettings = {"base_url", "url"};

/// Checks the scheme only; the HTTP client validates the rest of the URL.
bool is_http(const std::string& url) {
  const std::string scheme = ascii::to_lower(std::string_view(url).substr(0, url.find("://")));
  return scheme == "http" || scheme == "https";
}

struct NamedUrl {
  std::string setting;
  std::string url;
};

std::vector<NamedUrl> find_named_urls(const std::string& config) {
  const auto settings = nlohmann::json::parse(config, nullptr, /*allow_exceptions=*/false);
  std::vector<NamedUrl> named;
  for (const char* const name : kUrlSettings)
    if (settings.is_object() && settings.contains(name) && settings[name].is_string())
      named.push_back({name, settings[name].get<std::string>()});
  return named;
}

/// Returns only the http:// and https:// URLs.
std::vector<std::string> find_http_urls(const std::string& config) {
  std::vector<std::string> urls;
  for (NamedUrl& named : find_named_urls(config))
    if (is_http(named.url)) urls.push_back(std::move(named.url));
  return urls;
}

curl::ClientOptions make_options(const config::Upstream& settings, const UpstreamOverrides& overrides) {
  curl::ClientOptions options;
  options.user_agent = "kbase/" + std::string(config::kVersion);
  options.ca_file = settings.ca_file;
  options.proxy = settings.proxy;
  for (const std::string& host : settings.no_proxy) options.no_proxy += (options.no_proxy.empty() ? "" : ",") + host;
  options.connect_timeout = settings.connect_timeout;
  options.first_byte_timeout =
      overrides.first_byte_timeout.count() ? overrides.first_byte_timeout : settings.first_byte_timeout;
  options.idle_timeout = overrides.idle_timeout.count() ? overrides.idle_timeout : settings.idle_timeout;
  options.max_body_bytes = std::max<std::uint64_t>(settings.max_body_bytes, overrides.max_body_bytes);
  options.max_concurrent = std::max(settings.max_connections, overrides.max_connections);
  if (!overrides.stops_at_failures) options.breaker.failures = 0;
  return options;
}

}  // namespace

Result<std::unique_ptr<CodeHostService>> CodeHostService::open(const Dependencies& deps) {
  auto host = KBASE_TRY(deps.backends.open_code_host());
  auto limiter = KBASE_TRY(deps.backends.open_local_rate_limiter());
  return std::make_unique<CodeHostService>(deps, std::move(host), std::move(limiter));
}

CodeHostService::CodeHostService(const Dependencies& deps, std::unique_ptr<ports::CodeHost> host,
                                 std::unique_ptr<ports::RateLimitStore> limiter)
    : deps_(deps),
      host_(std::move(host)),
      look_up_limiter_(std::move(limiter)),
      look_up_(
          {host_.get(), deps.cache, *look_up_limiter_, http::make_user_document, deps.platform.clock, deps.on_outcome},
          look_up_options(deps.settings, deps.platform.digest)),
      users_(look_up_) {}

std::unique_ptr<runtime::PeriodicTask> CodeHostService::start_health_task(runtime::HealthChecker& health) const {
  return start_task(ports::Service::Codehost, host_.get(), deps_.platform.clock, health);
}

Result<std::unique_ptr<LanguageModelService>> LanguageModelService::open(const Dependencies& deps) {
  auto model = KBASE_TRY(deps.backends.open_language_model());
  return std::make_unique<LanguageModelService>(deps, std::move(model));
}

LanguageModelService::LanguageModelService(const Dependencies& deps, std::unique_ptr<ports::LanguageModel> model)
    : deps_(deps),
      model_(std::move(model)),
      completions_({model_.get(), deps.rate_limiter, deps.platform.digest, deps.platform.clock, deps.platform.log},
                   prompt_rules(deps.settings.llm)) {}

std::unique_ptr<runtime::PeriodicTask> LanguageModelService::start_health_task(runtime::HealthChecker& health) const {
  return start_task(ports::Service::Llm, model_.get(), deps_.platform.clock, health);
}

std::string find_ca_file_defect(const config::Upstream& settings) {
  const std::string& file = settings.ca_file;
  if (std::error_code missing; std::filesystem::is_directory(file, missing)) return "'" + file + "' is a directory";
  if (file.empty() || std::ifstream(file).is_open()) return {};
  return "the file '" + file + "' cannot be read: " + std::generic_category().message(errno);
}

std::optional<ServiceSetting> find_service_setting(const std::string& config) {
  const std::vector<NamedUrl> named = find_named_urls(config);
  if (named.empty()) return std::nullopt;
  return ServiceSetting{named.front().setting, is_http(named.front().url)};
}

std::vector<Result<curl::OriginInfo>> check_services(const config::Upstream& settings, const std::string& config) {
  std::vector<Result<curl::OriginInfo>> checks;
  for (const std::string& url : find_http_urls(config))
    checks.push_back(curl::probe_origin(url, make_options(settings, {})));
  return checks;
}

/// State shared by all clients.
struct UpstreamClients::Shared {
  prometheus::PrometheusMetrics unused_metrics;  // discarded metrics of commands, which expose none
  std::unique_ptr<curl::TransferLoop> loop;      // destroyed first: its thread updates the metrics until it ends
};

UpstreamClients::UpstreamClients(const config::Upstream& settings, Platform& platform, ports::Metrics* metrics)
    : settings_(settings), platform_(platform), metrics_(metrics) {}

UpstreamClients::~UpstreamClients() = default;

Status UpstreamClients::start() {
  if (const std::string defect = find_ca_file_defect(settings_); !defect.empty())
    return invalid_argument("upstream.ca_file", "upstream.ca_file: " + defect);
  auto loop = KBASE_TRY(curl::TransferLoop::start());
  shared_ = std::make_unique<Shared>();
  shared_->loop = std::move(loop);
  return {};
}

Result<std::unique_ptr<ports::HttpClient>> UpstreamClients::client(std::string_view section, const std::string& config,
                                                                   const UpstreamOverrides& overrides) {
  curl::ClientOptions options = make_options(settings_, overrides);
  options.service = section;
  options.allowed_urls = find_http_urls(config);
  if (options.allowed_urls.empty()) return std::unique_ptr<ports::HttpClient>();
  if (shared_ == nullptr) KBASE_TRY(start());

  ports::Metrics& metrics = metrics_ != nullptr ? *metrics_ : shared_->unused_metrics;
  auto made = curl::CurlHttpClient::make(*shared_->loop, {platform_.clock, platform_.random, platform_.log, metrics},
                                         std::move(options));
  if (made) return std::unique_ptr<ports::HttpClient>(*std::move(made));
  Error error = made.error();
  error.message.insert(0, std::string(section) + ".config: ");
  return error;
}

}  // namespace kbase::composition
