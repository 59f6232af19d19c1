// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/http_extension.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "app/plugin_host/host_table.hpp"
#include "app/plugin_host/plugin_text.hpp"
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

const kb_http_client_v1 HttpExtension::kTable = {
    sizeof(kb_http_client_v1), 0, open_entry, head_entry, read_entry, close_entry, failure_entry,
};

HttpExtension::HttpExtension(ports::HttpClient& client) : client_(client) {}

HttpExtension::~HttpExtension() = default;

template <class Matches>
HttpExtension::Owned HttpExtension::take(Matches matches) noexcept {
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

}  // namespace kbase::plugin_host
