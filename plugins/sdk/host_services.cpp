// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/host_services.hpp"

#include <sys/random.h>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/translation.hpp"

namespace kbase::sdk {
namespace {

constexpr std::uint32_t kNoSeries = std::numeric_limits<std::uint32_t>::max();

std::int32_t number_of(ports::LogLevel level) {
  switch (level) {
    case ports::LogLevel::Debug: return KB_LOG_DEBUG;
    case ports::LogLevel::Info: return KB_LOG_INFO;
    case ports::LogLevel::Warning: return KB_LOG_WARNING;
    case ports::LogLevel::Error: return KB_LOG_ERROR;
  }
  return KB_LOG_ERROR;
}

std::string sentence_of(std::string_view message, std::span<const ports::LogField> fields) {
  std::string sentence(message);
  for (const ports::LogField& field : fields) {
    sentence.append(KB_LOG_FIELD).append(field.name).append("=");
    if (const auto* number = std::get_if<std::uint64_t>(&field.value))
      sentence += std::to_string(*number);
    else
      sentence += std::get<std::string_view>(field.value);
  }
  return sentence;
}

/// Returns the error of the last failure on this thread.
Error failure(const kb_http_client_v1& table, kb_status status) {
  auto why = sized<kb_explanation>();
  table.failure(&why);
  return error_of(status, why);
}

/// Closes the exchange on destruction, whether it was read or not.
class HostHttpExchange final : public ports::HttpExchange {
 public:
  HostHttpExchange(const kb_http_client_v1& table, kb_http_exchange* exchange) : table_(table), exchange_(exchange) {}
  ~HostHttpExchange() override { table_.close(exchange_); }
  HostHttpExchange(const HostHttpExchange&) = delete;
  HostHttpExchange& operator=(const HostHttpExchange&) = delete;

  Result<ports::HttpHead> head() override {
    const kb_http_head* head = nullptr;
    if (const kb_status status = table_.head(exchange_, &head); status != KB_OK) return failure(table_, status);
    fields_.clear();
    for (const kb_http_field& field : std::span(head->fields, head->field_count))
      fields_.push_back({text_of(field.name), text_of(field.value)});
    return ports::HttpHead{head->status, fields_, head->attempts};
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    std::size_t size = 0;
    const kb_status status = table_.read(exchange_, buffer.data(), buffer.size(), &size);
    if (status != KB_OK) return failure(table_, status);
    return size;
  }

 private:
  const kb_http_client_v1& table_;
  kb_http_exchange* const exchange_;
  std::vector<ports::HttpField> fields_;
};

}  // namespace

model::Instant HostClock::now() const {
  if (KB_HAS(&host_, wall_ms)) return instant_of(host_.wall_ms(&host_));
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::chrono::steady_clock::time_point HostClock::steady() const {
  return KB_HAS(&host_, monotonic_ns) ? time_of(host_.monotonic_ns(&host_)) : std::chrono::steady_clock::now();
}

void HostLog::log(ports::LogLevel level, std::string_view event, std::string_view message,
                  std::span<const ports::LogField> fields) {
  if (!KB_HAS(&host_, log)) return;
  host_.log(&host_, number_of(level), view_of(event), view_of(sentence_of(message, fields)));
}

HostSeries::HostSeries(const kb_host& host, std::int32_t kind, std::string_view name, std::string_view help)
    : host_(host),
      number_(KB_HAS(&host, metric) ? host.metric(&host, kind, view_of(name), view_of(help)) : kNoSeries) {}

void HostSeries::add(std::int64_t amount) noexcept {
  if (number_ != kNoSeries && KB_HAS(&host_, metric_add)) host_.metric_add(&host_, number_, amount);
}

void KernelRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno != EINTR) std::abort();
    if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

const kb_http_client_v1* HostHttpClient::table_of(const kb_host& host) {
  if (!KB_HAS(&host, get_extension)) return nullptr;
  return static_cast<const kb_http_client_v1*>(host.get_extension(&host, KB_EXTENSION_HTTP_CLIENT));
}

Result<std::unique_ptr<ports::HttpExchange>> HostHttpClient::open(ports::Call& call,
                                                                  const ports::HttpRequest& request) {
  auto* const original = static_cast<kb_call*>(const_cast<void*>(call.cancel.state_of(is_cancelled)));
  if (original == nullptr)
    return Error{ErrorCode::Unsupported, "The HTTP client works only in calls of the server.",
                 "the plugin made the call"};
  std::vector<kb_http_field> fields;
  for (const ports::HttpField& field : request.fields) fields.push_back({view_of(field.name), view_of(field.value)});
  auto asked = sized<kb_http_request>();
  asked.max_redirects = request.max_redirects;
  asked.method = view_of(request.method);
  asked.url = view_of(request.url);
  asked.fields = fields.data();
  asked.field_count = fields.size();
  asked.body = view_of(request.body);
  asked.max_body_bytes = request.max_body_bytes;
  asked.deadline_ns = nanoseconds_of(call.deadline);
  asked.max_attempts = request.max_attempts;
  kb_http_exchange* exchange = nullptr;
  if (const kb_status status = table_.open(&host_, original, &asked, &exchange); status != KB_OK)
    return failure(table_, status);
  return std::unique_ptr<ports::HttpExchange>(std::make_unique<HostHttpExchange>(table_, exchange));
}

}  // namespace kbase::sdk
