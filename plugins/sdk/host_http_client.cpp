// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/host_http_client.hpp"

#include <vector>

#include "plugins/sdk/entry.hpp"

namespace kbase::sdk {
namespace {

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
