// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"
#include "plugins/sdk/host_services.hpp"

namespace kbase::sdk {

/// The settings of an instance. The server has validated them against the plugin's schema and filled in the defaults;
/// `otherwise` is returned for a setting that is still absent. Every getter throws WrongSetting if the value has
/// another type.
class Settings {
 public:
  /// Error: InvalidArgument if `json` is not a JSON object. Empty text means no settings.
  static Result<Settings> parse(std::string_view json);

  std::string text(std::string_view name, std::string_view otherwise) const;
  std::filesystem::path path(std::string_view name, const std::filesystem::path& otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;
  std::uint64_t number(std::string_view name, std::uint64_t otherwise) const;

  /// Returns a size such as "64MiB" (also KiB, GiB, or no unit for bytes) or a plain number, in bytes.
  std::uint64_t bytes(std::string_view name, std::uint64_t otherwise) const;

 private:
  struct Values;
  explicit Settings(std::shared_ptr<const Values> values) : values_(std::move(values)) {}

  std::shared_ptr<const Values> values_;
};

/// Environment of a new instance. The settings are read during creation; the services live as long as the instance.
class Setup {
 public:
  Setup(const kb_host& host, Settings settings)
      : host_(host), settings_(std::move(settings)), clock_(host), log_(host) {
    if (const kb_http_client_v1* const table = HostHttpClient::table_of(host)) http_.emplace(host, *table);
  }

  const Settings& settings() const { return settings_; }
  const ports::Clock& clock() const { return clock_; }
  ports::EventLog& log() { return log_; }
  ports::Random& random() { return random_; }

  /// Creates a series of the operator's metrics. `name` consists of a-z, 0-9 and _; a counter's name ends with _total.
  ports::Counter& counter(std::string_view name, std::string_view help) {
    return counters_.emplace_back(host_, name, help);
  }
  ports::Gauge& gauge(std::string_view name, std::string_view help) { return gauges_.emplace_back(host_, name, help); }

  /// HTTP client for the origins of the settings `base_url` and `url`. Null: the settings contain no http:// or
  /// https:// URL, or the server provides no HTTP.
  ports::HttpClient* http() { return http_ ? &*http_ : nullptr; }

 private:
  const kb_host& host_;
  Settings settings_;
  HostClock clock_;
  HostLog log_;
  KernelRandom random_;
  std::list<HostCounter> counters_;
  std::list<HostGauge> gauges_;
  std::optional<HostHttpClient> http_;
};

/// Result of a plugin's open function. Shared, so that a port can be a member of a larger object.
template <class Port> using Opened = Result<std::shared_ptr<Port>>;

/// A setting that the schema should have refused. Thrown by the getters of Settings; create() converts it to an error.
class WrongSetting final : public std::runtime_error {
 public:
  WrongSetting(std::string_view name, const std::string& reason) : std::runtime_error(reason), name_(name) {}
  const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

}  // namespace kbase::sdk
