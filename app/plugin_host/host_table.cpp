// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/host_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "app/config/version.hpp"
#include "app/plugin_host/call_frame.hpp"
#include "app/plugin_host/custom_proxies.hpp"
#include "app/plugin_host/descriptor_check.hpp"
#include "app/plugin_host/plugin.hpp"
#include "domain/base/result.hpp"
#include "domain/base/text.hpp"
#include "plugins/sdk/translation.hpp"

/// Definition of the plugin's handle of an exchange.
struct kb_http_exchange {
  kb_call call;  // copy of the original call, whose host_data is valid until that call returns
  kbase::ports::Call port_call;
  kbase::plugin_host::HttpExtension* owner = nullptr;
  kb_http_head head{};
  std::vector<kb_http_field> fields;
  std::unique_ptr<kbase::ports::HttpExchange> exchange;  // destroyed first: it uses the calls
};
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
constexpr std::size_t kMaxLogFields = 8;

/// Counter names end with this suffix and gauge names never do, so that all series of a name have one kind.
constexpr std::string_view kCounterEnding = "_total";

bool is_lower_or_digit(char c) { return ascii::is_lower(c) || ascii::is_digit(c) || c == '_'; }

bool is_series_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && std::all_of(name.begin(), name.end(), is_lower_or_digit);
}

/// Fields of a plugin must not replace those that each line has.
bool is_field_name(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOwn = {"time", "level", "event", "message", "plugin"};
  return is_series_name(name) && std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end();
}

/// Returns a number for a text of digits.
std::variant<std::string_view, std::uint64_t> field_value(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return text;
  return number;
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

/// Maximum number of header fields; a request with more is invalid.
constexpr std::size_t kMaxFields = 256;

/// Error that kb_http_client_v1.failure returns.
thread_local Error last_failure;

kb_status explained(const kb_call& call, Error error) noexcept {
  last_failure = std::move(error);
  const kb_explanation why = sdk::explanation_of(last_failure);
  kb_call copy = call;  // explain uses only host_data
  if (call.host->explain != nullptr) call.host->explain(&copy, &why);
  return sdk::status_of(last_failure.code);
}

kb_status explained(const kb_call& call, const char* parameter, const char* reason) {
  return explained(call, invalid_argument(parameter, reason));
}

/// Fails without an explanation: there is no memory for it, or no call to attach it to.
kb_status unexplained(kb_status status) noexcept {
  last_failure = {};
  return status;
}

bool is_valid_view_field(const kb_http_field& field) { return is_valid_view(field.name) && is_valid_view(field.value); }

/// Returns the name of the first invalid member of the request; null: the request is valid.
const char* unsound_part(const kb_http_request& request) {
  if (!KB_HAS(&request, max_attempts)) return "struct_size";
  if (!is_valid_view(request.method)) return "method";
  if (!is_valid_view(request.url)) return "url";
  if (!is_valid_view(request.body)) return "body";
  if (request.field_count > kMaxFields || (request.field_count > 0 && request.fields == nullptr)) return "fields";
  const std::span fields(request.fields, request.field_count);
  return std::all_of(fields.begin(), fields.end(), is_valid_view_field) ? nullptr : "fields";
}

bool is_cancelled(const void* call) noexcept {
  const auto& asked = *static_cast<const kb_call*>(call);
  return asked.host->cancelled(&asked) != 0;
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
  std::array<ports::LogField, 1 + kMaxLogFields> fields;
  std::size_t count = 0;
  fields[count++] = {"plugin", std::string_view(plugin_id_)};
  const std::size_t end = std::min(message.find(KB_LOG_FIELD[0]), message.size());
  for (std::string_view rest = message.substr(end); !rest.empty() && count < fields.size();) {
    rest.remove_prefix(1);
    const std::string_view field = rest.substr(0, std::min(rest.find(KB_LOG_FIELD[0]), rest.size()));
    rest.remove_prefix(field.size());
    const std::size_t equals = field.find('=');
    if (equals == field.npos || !is_field_name(field.substr(0, equals))) continue;
    fields[count++] = {field.substr(0, equals), field_value(field.substr(equals + 1))};
  }
  services_.log.log(level, event, message.substr(0, end), std::span(fields).first(count));
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

const kb_http_client_v1 HttpExtension::kTable = {
    sizeof(kb_http_client_v1), 0, open_entry, head_entry, read_entry, close_entry, failure_entry,
};

HttpExtension::HttpExtension(ports::HttpClient& client) : client_(client) {}

HttpExtension::~HttpExtension() = default;

template <class Matches> HttpExtension::Owned HttpExtension::take(Matches matches) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Owned& owned) { return matches(*owned); });
  if (found == open_.end()) return nullptr;
  Owned taken = std::move(*found);
  open_.erase(found);
  --open_count_;
  return taken;
}

std::size_t HttpExtension::close_those_of(const void* call_data) noexcept {
  if (open_count_.load(std::memory_order_relaxed) == 0) return 0;
  const auto is_of_call = [&](const kb_http_exchange& exchange) { return exchange.call.host_data == call_data; };
  std::size_t closed = 0;
  while (take(is_of_call) != nullptr) ++closed;
  return closed;
}

kb_status HttpExtension::open(kb_call& call, const kb_http_request& request, kb_http_exchange*& exchange) {
  if (const char* const part = unsound_part(request)) return explained(call, part, "The request can't be read.");
  std::vector<ports::HttpField> fields;
  for (const kb_http_field& field : std::span(request.fields, request.field_count))
    fields.push_back({sdk::text_of(field.name), sdk::text_of(field.value)});

  auto made = std::make_unique<kb_http_exchange>();
  made->call = call;
  made->owner = this;
  const std::uint64_t own_deadline = request.deadline_ns != 0 ? request.deadline_ns : call.deadline_ns;
  made->port_call = {
      sdk::time_of(std::min(own_deadline, call.deadline_ns)), ports::CancelSource(&made->call, is_cancelled), {}};
  auto opened = client_.open(
      made->port_call, {sdk::text_of(request.method), sdk::text_of(request.url), fields, sdk::text_of(request.body),
                        request.max_redirects, request.max_body_bytes, request.max_attempts});
  if (!opened) return explained(call, opened.error());
  made->exchange = std::move(*opened);

  const std::lock_guard lock(mutex_);
  exchange = open_.emplace_back(std::move(made)).get();
  ++open_count_;
  return KB_OK;
}

// ------------------------------------------------------------- functions that the plugin calls

kb_status HttpExtension::open_entry(const kb_host* host, kb_call* call, const kb_http_request* request,
                                    kb_http_exchange** exchange) noexcept try {
  HttpExtension* const self = HostTable::http_of(host);
  if (self == nullptr || call == nullptr || call->host == nullptr) return unexplained(KB_INVALID_ARGUMENT);
  if (request == nullptr || exchange == nullptr) return explained(*call, "request", "The request is missing.");
  return self->open(*call, *request, *exchange);
} catch (...) {
  return unexplained(KB_NO_MEMORY);
}

kb_status HttpExtension::head_entry(kb_http_exchange* exchange, const kb_http_head** head) noexcept try {
  if (exchange == nullptr || head == nullptr) return unexplained(KB_INVALID_ARGUMENT);
  if (exchange->head.struct_size == 0) {
    const auto came = exchange->exchange->head();
    if (!came) return explained(exchange->call, came.error());
    for (const ports::HttpField& field : came->fields)
      exchange->fields.push_back({sdk::view_of(field.name), sdk::view_of(field.value)});
    exchange->head = {sizeof(kb_http_head),    came->status,   exchange->fields.data(),
                      exchange->fields.size(), came->attempts, 0};
  }
  *head = &exchange->head;
  return KB_OK;
} catch (...) {
  return unexplained(KB_NO_MEMORY);
}

kb_status HttpExtension::read_entry(kb_http_exchange* exchange, char* buffer, std::size_t capacity,
                                    std::size_t* size) noexcept try {
  if (exchange == nullptr || buffer == nullptr || capacity == 0 || size == nullptr)
    return unexplained(KB_INVALID_ARGUMENT);
  const auto got = exchange->exchange->read({buffer, capacity});
  if (!got) return explained(exchange->call, got.error());
  *size = *got;
  return KB_OK;
} catch (...) {
  return unexplained(KB_NO_MEMORY);
}

void HttpExtension::close_entry(kb_http_exchange* exchange) noexcept {
  if (exchange == nullptr) return;
  const Owned closed = exchange->owner->take([&](const kb_http_exchange& open) { return &open == exchange; });
}

void HttpExtension::failure_entry(kb_explanation* why) noexcept {
  if (why != nullptr) sdk::fill_in(sdk::explanation_of(last_failure), *why);
}

template <class Port>
Opened<Port> open_port(const typename sdk::CBinding<Port>::Table& table, const HostTable& host,
                       std::string_view config_json) {
  using Proxy = typename ProxyOf<Port>::Type;
  auto instance = KBASE_TRY(InstanceOf<Port>::create(table, host, config_json));
  if constexpr (requires { Proxy::make(std::move(instance)); }) {
    auto proxy = KBASE_TRY(Proxy::make(std::move(instance)));
    return std::unique_ptr<Port>(std::move(proxy));
  } else {
    return std::unique_ptr<Port>(std::make_unique<Proxy>(std::move(instance)));
  }
}

template <class Port>
Opened<Port> open_port(const Plugin& plugin, const HostTable& host, std::string_view config_json) {
  using Binding = sdk::CBinding<Port>;
  if (const auto* table = plugin.table<typename Binding::Table>(Binding::kId))
    return open_port<Port>(*table, host, config_json);
  return Error{ErrorCode::Unsupported, "The plugin " + plugin.label() + " does not offer " + Binding::kId +
                                           "; `kbase plugin list` shows which one does."};
}

#define KBASE_OPEN_PORT(Port)                                                                                     \
  template Opened<ports::Port> open_port<ports::Port>(const sdk::CBinding<ports::Port>::Table&, const HostTable&, \
                                                      std::string_view);                                          \
  template Opened<ports::Port> open_port<ports::Port>(const Plugin&, const HostTable&, std::string_view)

KBASE_OPEN_PORT(ItemStore);
KBASE_OPEN_PORT(ActivityStore);
KBASE_OPEN_PORT(ApiKeyStore);
KBASE_OPEN_PORT(AccountStore);
KBASE_OPEN_PORT(InsightStore);
KBASE_OPEN_PORT(SearchIndex);
KBASE_OPEN_PORT(RateLimitStore);
KBASE_OPEN_PORT(Cache);
KBASE_OPEN_PORT(CodeHost);
KBASE_OPEN_PORT(LanguageModel);
KBASE_OPEN_PORT(Mailer);

}  // namespace kbase::plugin_host
