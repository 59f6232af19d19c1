// SPDX-License-Identifier: Apache-2.0
#include "app/composition/upstreams.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "adapters/curl/curl_http_client.hpp"
#include "adapters/curl/transfer_loop.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "app/config/version.hpp"

namespace kbase::composition {
namespace {

constexpr std::array<const char*, 2> kUrlSettings = {"base_url", "url"};

/// Checks the scheme only; the HTTP client validates the rest of the URL.
bool is_http(const std::string& url) {
  std::string scheme = url.substr(0, url.find("://"));
  for (char& c : scheme)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return scheme == "http" || scheme == "https";
}

struct NamedUrl {
  std::string setting;
  std::string url;
};

std::vector<NamedUrl> named_urls_in(const std::string& config) {
  const auto settings = nlohmann::json::parse(config, nullptr, /*allow_exceptions=*/false);
  std::vector<NamedUrl> named;
  for (const char* const name : kUrlSettings)
    if (settings.is_object() && settings.contains(name) && settings[name].is_string())
      named.push_back({name, settings[name].get<std::string>()});
  return named;
}

/// Returns only the http:// and https:// URLs.
std::vector<std::string> urls_in(const std::string& config) {
  std::vector<std::string> urls;
  for (NamedUrl& named : named_urls_in(config))
    if (is_http(named.url)) urls.push_back(std::move(named.url));
  return urls;
}

curl::ClientOptions options_of(const config::Upstream& settings, const UpstreamNeeds& needs) {
  curl::ClientOptions options;
  options.user_agent = "kbase/" + std::string(config::kVersion);
  options.ca_file = settings.ca_file;
  options.proxy = settings.proxy;
  for (const std::string& host : settings.no_proxy) options.no_proxy += (options.no_proxy.empty() ? "" : ",") + host;
  options.connect_timeout = settings.connect_timeout;
  options.first_byte_timeout =
      needs.first_byte_timeout.count() ? needs.first_byte_timeout : settings.first_byte_timeout;
  options.idle_timeout = needs.idle_timeout.count() ? needs.idle_timeout : settings.idle_timeout;
  options.max_body_bytes = settings.max_body_bytes;
  options.max_concurrent = std::max(settings.max_connections, needs.max_connections);
  return options;
}

}  // namespace

std::string defect_of_ca_file(const config::Upstream& settings) {
  const std::string& file = settings.ca_file;
  if (std::error_code missing; std::filesystem::is_directory(file, missing)) return "'" + file + "' is a directory";
  if (file.empty() || std::ifstream(file).is_open()) return {};
  return "the file '" + file + "' cannot be read: " + std::generic_category().message(errno);
}

std::optional<ServiceSetting> service_setting(const std::string& config) {
  const std::vector<NamedUrl> named = named_urls_in(config);
  if (named.empty()) return std::nullopt;
  return ServiceSetting{named.front().setting, is_http(named.front().url)};
}

std::vector<model::Result<curl::OriginLook>> look_at_services(const config::Upstream& settings,
                                                              const std::string& config) {
  std::vector<model::Result<curl::OriginLook>> looks;
  for (const std::string& url : urls_in(config)) looks.push_back(curl::look_at_origin(url, options_of(settings, {})));
  return looks;
}

/// State shared by all clients.
struct Upstreams::Running {
  prometheus::PrometheusMetrics unread;      // discarded metrics of commands, which expose none
  std::unique_ptr<curl::TransferLoop> loop;  // destroyed first: its thread updates the metrics until it ends
};

Upstreams::Upstreams(const config::Upstream& settings, Platform& platform, ports::Metrics* metrics)
    : settings_(settings), platform_(platform), metrics_(metrics) {}

Upstreams::~Upstreams() = default;

model::Status Upstreams::start() {
  if (const std::string defect = defect_of_ca_file(settings_); !defect.empty())
    return model::invalid_argument("upstream.ca_file", "upstream.ca_file: " + defect);
  auto loop = curl::TransferLoop::start();
  if (!loop) return loop.error();
  running_ = std::make_unique<Running>();
  running_->loop = *std::move(loop);
  return {};
}

model::Result<std::unique_ptr<ports::HttpClient>> Upstreams::client(std::string_view section, const std::string& config,
                                                                    const UpstreamNeeds& needs) {
  curl::ClientOptions options = options_of(settings_, needs);
  options.service = section;
  options.allowed_urls = urls_in(config);
  if (options.allowed_urls.empty()) return std::unique_ptr<ports::HttpClient>();
  if (running_ == nullptr)
    if (auto started = start(); !started) return started.error();

  ports::Metrics& metrics = metrics_ != nullptr ? *metrics_ : running_->unread;
  auto made = curl::CurlHttpClient::make(*running_->loop, {platform_.clock, platform_.random, platform_.log, metrics},
                                         std::move(options));
  if (made) return std::unique_ptr<ports::HttpClient>(*std::move(made));
  model::Error wrong = made.error();
  wrong.message.insert(0, std::string(section) + ".config: ");
  return wrong;
}

}  // namespace kbase::composition
