// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/service.hpp"

#include <algorithm>
#include <array>

#include "adapters/language_model/retry_after.hpp"

namespace kbase::language_model {
namespace {

constexpr std::uint32_t kOk = 200;
constexpr std::uint32_t kNotFound = 404;
constexpr std::uint32_t kMethodNotAllowed = 405;

/// Maximum number of bytes that are read of a refusal.
constexpr std::size_t kMaxRefusalBytes = 64U << 10U;
/// Maximum size of a response that is not a stream.
constexpr std::uint64_t kMaxAnswerBytes = 4U << 20U;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kBearer = "Bearer ";

ServiceAddress without_last_slash(ServiceAddress address) {
  while (address.base_url.ends_with('/')) address.base_url.pop_back();
  return address;
}

/// Appends some bytes of the body to `text`; false: end of the body.
model::Result<bool> read_some(ports::HttpExchange& answer, std::string& text) {
  std::array<char, 4096> buffer;
  const auto got = answer.read(buffer);
  if (!got) return got.error();
  text.append(buffer.data(), *got);
  return *got > 0;
}

/// Returns the body up to an error, its end or about kMaxRefusalBytes.
std::string start_of(ports::HttpExchange& answer) {
  std::string text;
  while (text.size() < kMaxRefusalBytes) {
    const auto more = read_some(answer, text);
    if (!more || !*more) break;
  }
  return text;
}

}  // namespace

ServiceAddress with_bearer(const std::string& base_url, const std::string& key) {
  if (key.empty()) return {base_url, {}};
  return {base_url, {{"Authorization", std::string(kBearer) + key}}};
}

Service::Service(ports::HttpClient& http, const ports::Clock& clock, ServiceAddress address)
    : http_(http), clock_(clock), address_(without_last_slash(std::move(address))) {}

model::Result<Service::Exchange> Service::open(ports::Call& call, ports::HttpRequest request, std::string_view path,
                                               std::string_view accepted) const {
  const std::string url = address_.base_url + std::string(path);
  std::vector<ports::HttpField> fields{{"Accept", accepted}};
  if (!request.body.empty()) fields.push_back({"Content-Type", kJson});
  for (const auto& [name, value] : address_.fields) fields.push_back({name, value});
  request.url = url;
  request.fields = fields;
  auto exchange = http_.open(call, request);
  if (exchange || exchange.error().code != model::ErrorCode::InvalidArgument) return exchange;
  const model::Error& why = exchange.error();  // a wrong setting, not an error of the caller
  return model::Error{
      model::ErrorCode::Internal, "The external service can't be asked.", why.parameter + ": " + why.message, {}, {}};
}

model::Result<Service::Exchange> Service::post(ports::Call& call, std::string_view path, std::string_view accepted,
                                               std::string_view body, std::string_view model) const {
  ports::HttpRequest request;
  request.method = "POST";
  request.body = body;
  if (accepted == kJson) request.max_body_bytes = kMaxAnswerBytes;
  auto exchange = open(call, request, path, accepted);
  if (!exchange) return exchange;
  const auto head = (*exchange)->head();
  if (!head) return head.error();
  if (head->status != kOk) return error_of(refusal(**exchange, *head), model);
  return exchange;
}

model::Status Service::probe(ports::Call& call, std::string_view path) const {
  auto exchange = open(call, {}, path, kJson);
  if (!exchange) return exchange.error();
  const auto head = (*exchange)->head();
  if (!head) return head.error();
  if (head->status == kOk || head->status == kNotFound || head->status == kMethodNotAllowed) return {};
  return error_of(refusal(**exchange, *head), {});
}

Refusal Service::refusal(ports::HttpExchange& exchange, const ports::HttpHead& head) const {
  Refusal refusal;
  refusal.status = head.status;
  refusal.retry_after = retry_after(head, clock_.now());
  const auto document = Document::parse(start_of(exchange));
  if (document) refusal.complaint = complaint_in(document->root()).value_or(Complaint());
  return refusal;
}

std::optional<Complaint> Service::complaint_in(Value answer) const {
  auto complaint = language_model::complaint_in(answer);
  if (!complaint) return complaint;
  std::erase_if(complaint->names, [this](const std::string& name) { return is_our_key(name); });
  if (is_our_key(complaint->parameter)) complaint->parameter.clear();
  return complaint;
}

bool Service::is_our_key(std::string_view text) const {
  return std::any_of(address_.fields.begin(), address_.fields.end(), [text](const Field& field) {
    const std::string_view value = field.second;
    return value == text || (value.starts_with(kBearer) && value.substr(kBearer.size()) == text);
  });
}

model::Result<std::string> body_of(ports::HttpExchange& answer) {
  std::string text;
  while (true) {
    const auto more = read_some(answer, text);
    if (!more) return more.error();
    if (!*more) return text;
  }
}

}  // namespace kbase::language_model
