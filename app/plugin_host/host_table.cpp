// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/host_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "app/config/version.hpp"
#include "app/plugin_host/call_frame.hpp"
#include "app/plugin_host/http_extension.hpp"
#include "app/plugin_host/plugin.hpp"
#include "app/plugin_host/plugin_text.hpp"
#include "domain/base/ascii.hpp"
#include "plugins/sdk/translation.hpp"

namespace kbase::plugin_host {
namespace {

/// Returns true for the plugins that are built and tested with the server; the examples count as foreign.
bool is_own(std::string_view plugin_id) {
  return plugin_id.starts_with("org.kbase.") && !plugin_id.starts_with("org.kbase.example.");
}

constexpr std::uint32_t kNoSeries = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxMessageBytes = 4096;
constexpr std::size_t kMaxHelpBytes = 256;

/// Counter names end with this suffix and gauge names never do, so that all series of a name have one kind.
constexpr std::string_view kCounterEnding = "_total";

bool is_lower_or_digit(char c) { return ascii::is_lower(c) || ascii::is_digit(c) || c == '_'; }

bool is_series_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && std::all_of(name.begin(), name.end(), is_lower_or_digit);
}

bool is_event(std::string_view event) {
  return !event.empty() && event.size() <= kMaxNameBytes &&
         std::all_of(event.begin(), event.end(), [](char c) { return is_lower_or_digit(c) || c == '.' || c == '-'; });
}

std::string_view name_in(kb_view view) { return is_valid_view(view) ? sdk::text_of(view) : std::string_view(); }

ports::LogLevel level_of(std::int32_t level) {
  switch (std::max(level, KB_LOG_DEBUG)) {
    case KB_LOG_DEBUG: return ports::LogLevel::Debug;
    case KB_LOG_INFO: return ports::LogLevel::Info;
    case KB_LOG_WARNING: return ports::LogLevel::Warning;
    default: return ports::LogLevel::Error;
  }
}

}  // namespace

HostTable::HostTable(const Plugin& plugin, const HostServices& services)
    : HostTable(plugin.descriptor().id, plugin.label(), services) {}

HostTable::HostTable(std::string plugin_id, std::string label, const HostServices& services)
    : plugin_id_(std::move(plugin_id)),
      label_(std::move(label)),
      services_(services),
      is_validating_(services.validates_own_plugins || !is_own(plugin_id_)),
      table_{},
      http_(services.http == nullptr ? nullptr : std::make_unique<HttpExtension>(*services.http)) {
  table_.struct_size = sizeof table_;
  table_.abi_minor = KB_ABI_MINOR;
  table_.name = "kbase";
  table_.version = config::kVersion.data();
  table_.host_data = this;
  table_.log = log_entry;
  table_.explain = CallFrame::explain;
  table_.cancelled = CallFrame::cancelled;
  table_.monotonic_ns = monotonic_ns_entry;
  table_.wall_ms = wall_ms_entry;
  table_.metric = metric_entry;
  table_.metric_add = metric_add_entry;
  table_.get_extension = get_extension_entry;
}

HostTable::~HostTable() = default;

void HostTable::log(ports::LogLevel level, std::string_view event, std::string_view message) const {
  const ports::LogField plugin{"plugin", std::string_view(plugin_id_)};
  services_.log.log(level, event, message, {&plugin, 1});
}

std::uint32_t HostTable::series_of(std::int32_t kind, std::string_view name, std::string_view help) {
  const bool is_counter = kind == KB_METRIC_COUNTER;
  if (services_.metrics == nullptr || !is_series_name(name)) return kNoSeries;
  if (!is_counter && (kind != KB_METRIC_GAUGE || name.ends_with(kCounterEnding))) return kNoSeries;
  const std::lock_guard lock(series_mutex_);
  const std::uint32_t count = series_count_.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < count; ++i)
    if (series_[i].name == name) return i;
  if (count == kMaxSeries) return kNoSeries;

  Series& made = series_[count];
  made.name = name;
  std::string shown = "kbase_plugin_" + made.name;
  if (is_counter && !name.ends_with(kCounterEnding)) shown += kCounterEnding;
  if (is_counter)
    made.counter = &services_.metrics->counter(shown, help, {{"plugin", plugin_id_}});
  else
    made.gauge = &services_.metrics->gauge(shown, help, {{"plugin", plugin_id_}});
  series_count_.store(count + 1, std::memory_order_release);
  return count;
}

void HostTable::add(std::uint32_t series, std::int64_t amount) const {
  if (series >= series_count_.load(std::memory_order_acquire)) return;
  if (series_[series].gauge != nullptr)
    series_[series].gauge->add(amount);
  else if (amount > 0)
    series_[series].counter->add(static_cast<std::uint64_t>(amount));
}

/// Logs only the first time, because a plugin that leaks exchanges usually leaks many.
void HostTable::close_forgotten(const void* call_data) const noexcept try {
  if (http_->close_those_of(call_data) == 0 || has_logged_forgotten_.exchange(true)) return;
  log(ports::LogLevel::Warning, "plugin.left_open",
      "A call returned without closing its HTTP exchanges; they are closed.");
} catch (...) {
  // No memory for the log message.
}

HttpExtension* HostTable::http_of(const kb_host* host) noexcept {
  const HostTable* const self = of(host);
  return self == nullptr ? nullptr : self->http_.get();
}

// ------------------------------------------------------------- functions that the plugin calls

HostTable* HostTable::of(const kb_host* host) noexcept {
  return host == nullptr ? nullptr : static_cast<HostTable*>(host->host_data);
}

void HostTable::log_entry(const kb_host* host, std::int32_t level, kb_view event, kb_view message) noexcept try {
  const HostTable* const self = of(host);
  if (self == nullptr || !self->services_.log.is_enabled(level_of(level))) return;
  const std::string_view name = name_in(event);
  self->log(level_of(level), is_event(name) ? name : "plugin.event", to_valid_utf8(message, kMaxMessageBytes));
} catch (...) {
  // No memory for the log message: the plugin continues without it.
}

std::uint64_t HostTable::monotonic_ns_entry(const kb_host* host) noexcept {
  const HostTable* const self = of(host);
  return self == nullptr ? 0 : sdk::nanoseconds_of(self->services_.clock.steady());
}

std::int64_t HostTable::wall_ms_entry(const kb_host* host) noexcept {
  const HostTable* const self = of(host);
  return self == nullptr ? 0 : sdk::milliseconds_of(self->services_.clock.now());
}

std::uint32_t HostTable::metric_entry(const kb_host* host, std::int32_t kind, kb_view name, kb_view help) noexcept try {
  HostTable* const self = of(host);
  return self == nullptr ? kNoSeries : self->series_of(kind, name_in(name), to_valid_utf8(help, kMaxHelpBytes));
} catch (...) {
  return kNoSeries;  // no memory for another series
}

void HostTable::metric_add_entry(const kb_host* host, std::uint32_t metric, std::int64_t amount) noexcept {
  if (const HostTable* const self = of(host); self != nullptr) self->add(metric, amount);
}

const void* HostTable::get_extension_entry(const kb_host* host, const char* id) noexcept {
  const bool is_http = id != nullptr && std::string_view(id) == KB_EXTENSION_HTTP_CLIENT;
  return is_http && http_of(host) != nullptr ? HttpExtension::table() : nullptr;
}

}  // namespace kbase::plugin_host
