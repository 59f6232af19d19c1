// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>
#include <kbase/http_client.h>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/plugin_host/plugin.hpp"
#include "domain/base/result.hpp"
#include "plugins/sdk/generated/bindings.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::plugin_host {

class HttpExtension;
class Plugin;

#ifdef NDEBUG
inline constexpr bool kIsDebugBuild = false;
#else
inline constexpr bool kIsDebugBuild = true;
#endif

/// Server services available to plugins. All must outlive every plugin instance.
struct HostServices {
  const ports::Clock& clock;
  ports::EventLog& log;
  ports::Metrics* metrics = nullptr;           ///< null: metrics are discarded, and plugins get no series
  ports::HttpClient* http = nullptr;           ///< restricted to the instance's allowed origins; null: no HTTP
  bool validates_own_plugins = kIsDebugBuild;  ///< false: what plugins of this project pass is not checked
};

/// The kb_host of one plugin: the server's services under the plugin's name. Must outlive the plugin's instances.
/// Thread-safe.
///
/// Protects the server from faulty plugin data: invalid UTF-8 is replaced and long text is truncated, an event that is
/// not a dotted name is logged as "plugin.event", an unknown higher level counts as an error, and an unknown series
/// number is ignored.
class HostTable {
 public:
  /// Maximum number of series per plugin; further requests get none.
  static constexpr std::uint32_t kMaxSeries = 64;

  HostTable(const Plugin& plugin, const HostServices& services);
  /// `label` names the plugin in crash reports (Plugin::label).
  HostTable(std::string plugin_id, std::string label, const HostServices& services);
  ~HostTable();
  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  /// Valid for the lifetime of this object, which cannot be moved.
  const kb_host* table() const noexcept { return &table_; }
  const std::string& plugin_id() const noexcept { return plugin_id_; }
  const std::string& label() const noexcept { return label_; }
  const ports::Clock& clock() const noexcept { return services_.clock; }
  /// True: the values that the plugin passes are checked against the contract of the port.
  bool is_validating() const noexcept { return is_validating_; }

  /// Logs an event about the plugin, with its id as the field `plugin`.
  void log(ports::LogLevel level, std::string_view event, std::string_view message) const;

  /// Closes the HTTP exchanges that the call with this `host_data` left open; called when the call returns.
  void close_exchanges_of(const void* call_data) const noexcept {
    if (http_ != nullptr) [[unlikely]]
      close_forgotten(call_data);
  }

  /// Returns the HTTP extension of a HostTable's kb_host; null: it has none.
  static HttpExtension* http_of(const kb_host* host) noexcept;

 private:
  struct Series {
    std::string name;
    ports::Counter* counter = nullptr;  // exactly one of the two is set
    ports::Gauge* gauge = nullptr;
  };

  std::uint32_t series_of(std::int32_t kind, std::string_view name, std::string_view help);
  void add(std::uint32_t series, std::int64_t amount) const;
  void close_forgotten(const void* call_data) const noexcept;

  static HostTable* of(const kb_host* host) noexcept;
  static void log_entry(const kb_host* host, std::int32_t level, kb_view event, kb_view message) noexcept;
  static std::uint64_t monotonic_ns_entry(const kb_host* host) noexcept;
  static std::int64_t wall_ms_entry(const kb_host* host) noexcept;
  static std::uint32_t metric_entry(const kb_host* host, std::int32_t kind, kb_view name, kb_view help) noexcept;
  static void metric_add_entry(const kb_host* host, std::uint32_t metric, std::int64_t amount) noexcept;
  static const void* get_extension_entry(const kb_host* host, const char* id) noexcept;

  const std::string plugin_id_;
  const std::string label_;
  const HostServices services_;
  const bool is_validating_;
  kb_host table_;
  const std::unique_ptr<HttpExtension> http_;
  mutable std::atomic<bool> has_logged_forgotten_{false};

  std::mutex series_mutex_;  // guards the creation of series; those below series_count_ never change
  std::array<Series, kMaxSeries> series_;
  std::atomic<std::uint32_t> series_count_{0};
};

/// Host extension kbase.http_client/1 for the instances that share a HostTable: a ports::HttpClient, restricted to
/// allowed URLs, as a C table. Thread-safe.
///
/// Owns every exchange that a plugin opens and closes those that the plugin left open: when their call returns, because
/// the data that they point to ends with it, and at the latest in the destructor.
class HttpExtension {
 public:
  /// `client` must outlive this object.
  explicit HttpExtension(ports::HttpClient& client);
  ~HttpExtension();
  HttpExtension(const HttpExtension&) = delete;
  HttpExtension& operator=(const HttpExtension&) = delete;

  /// Returns the table, shared by all instances; its functions find their HttpExtension through the kb_host.
  static const kb_http_client_v1* table() noexcept { return &kTable; }

  /// Closes the exchanges that the call with this `host_data` left open. Returns their number.
  std::size_t close_those_of(const void* call_data) noexcept;

 private:
  using Owned = std::unique_ptr<kb_http_exchange>;

  static kb_status open_entry(const kb_host* host, kb_call* call, const kb_http_request* request,
                              kb_http_exchange** exchange) noexcept;
  static kb_status head_entry(kb_http_exchange* exchange, const kb_http_head** head) noexcept;
  static kb_status read_entry(kb_http_exchange* exchange, char* buffer, std::size_t capacity,
                              std::size_t* size) noexcept;
  static void close_entry(kb_http_exchange* exchange) noexcept;
  static void failure_entry(kb_explanation* why) noexcept;

  static const kb_http_client_v1 kTable;

  kb_status open(kb_call& call, const kb_http_request& request, kb_http_exchange*& exchange);
  template <class Matches> Owned take(Matches matches) noexcept;

  ports::HttpClient& client_;
  std::mutex mutex_;
  std::vector<Owned> open_;
  std::atomic<std::size_t> open_count_{0};  // read after every call, so without the mutex
};

}  // namespace kbase::plugin_host

/// Create an instance of a port, which can be any with a sdk::CBinding. `config_json` is JSON text that fits the
/// table's config_schema. The host must outlive the instance. Errors: InvalidArgument for a wrong setting, which
/// `parameter` names; otherwise the error of the plugin's create().
namespace kbase::plugin_host {

template <class Port> using Opened = Result<std::unique_ptr<Port>>;

/// From a static table with all mandatory functions.
template <class Port>
Opened<Port> open_port(const typename sdk::CBinding<Port>::Table& table, const HostTable& host,
                       std::string_view config_json);

/// From a plugin. Error: Unsupported if it does not offer the port.
template <class Port> Opened<Port> open_port(const Plugin& plugin, const HostTable& host, std::string_view config_json);

}  // namespace kbase::plugin_host
