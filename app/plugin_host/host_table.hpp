// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::plugin_host {

class HttpExtension;
class Plugin;

/// What the server lends to its plugins. All of it outlives every instance of theirs.
struct HostServices {
  const ports::Clock& clock;
  ports::EventLog& log;
  ports::Metrics* metrics = nullptr;  ///< null: nobody reads figures, and a plugin gets no series
  ports::HttpClient* http = nullptr;  ///< knows where the plugin's instances may go; null: nowhere
};

/// The kb_host that one plugin is lent: the server's services under the plugin's name. It outlives the plugin's
/// instances. Any thread.
///
/// It stands between the server and code that may be wrong: a text that is no UTF-8 is mended and a huge one cut, an
/// event that is no dotted name is logged as "plugin.event", a level above the known ones counts as an error, and a
/// number that is no series' is ignored.
class HostTable {
 public:
  /// A plugin that asks for more series gets none.
  static constexpr std::uint32_t kMaxSeries = 64;

  HostTable(const Plugin& plugin, const HostServices& services);
  /// `label` is how a crash report names the plugin (Plugin::label).
  HostTable(std::string plugin_id, std::string label, const HostServices& services);
  ~HostTable();
  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  /// Valid as long as the object, which does not move.
  const kb_host* table() const noexcept { return &table_; }
  const std::string& plugin_id() const noexcept { return plugin_id_; }
  const std::string& label() const noexcept { return label_; }
  const ports::Clock& clock() const noexcept { return services_.clock; }

  /// Says something about the plugin, with its id as the field `plugin`.
  void log(ports::LogLevel level, std::string_view event, std::string_view message) const;

  /// The call whose kb_call has this `host_data` returns: what it left open of its HTTP exchanges is closed.
  void close_exchanges_of(const void* call_data) const noexcept {
    if (http_ != nullptr) [[unlikely]]
      close_forgotten(call_data);
  }

  /// Of a kb_host that one of these lent; null: it lends no HTTP.
  static HttpExtension* http_of(const kb_host* host) noexcept;

 private:
  struct Series {
    std::string name;
    ports::Counter* counter = nullptr;  // one of the two
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
  kb_host table_;
  const std::unique_ptr<HttpExtension> http_;
  mutable std::atomic<bool> told_of_forgotten_{false};

  std::mutex series_mutex_;  // guards the making of series; those below series_count_ are there for good
  std::array<Series, kMaxSeries> series_;
  std::atomic<std::uint32_t> series_count_{0};
};

}  // namespace kbase::plugin_host
