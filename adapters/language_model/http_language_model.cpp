// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/http_language_model.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "domain/base/result.hpp"

namespace kbase::language_model {
namespace {

constexpr std::uint32_t kOk = 200;
constexpr std::uint32_t kNotFound = 404;
constexpr std::uint32_t kMethodNotAllowed = 405;

/// Maximum number of bytes that are read of a error_response.
constexpr std::size_t kMaxRefusalBytes = 64U << 10U;
/// Maximum size of a response that is not a stream.
constexpr std::uint64_t kMaxResponseBytes = 4U << 20U;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kBearer = "Bearer ";

ServiceAddress strip_trailing_slashes(ServiceAddress address) {
  while (address.base_url.ends_with('/')) address.base_url.pop_back();
  return address;
}

/// Appends some bytes of the body to `text`; false: end of the body.
Result<bool> read_some(ports::HttpExchange& response, std::string& text) {
  std::array<char, 4096> buffer;
  const auto got = KBASE_TRY(response.read(buffer));
  text.append(buffer.data(), got);
  return got > 0;
}

/// Returns the body up to an error, its end or about kMaxRefusalBytes.
std::string read_start(ports::HttpExchange& response) {
  std::string text;
  while (text.size() < kMaxRefusalBytes) {
    const auto more = read_some(response, text);
    if (!more || !*more) break;
  }
  return text;
}

/// Parses a response of the service or a part of a stream. Returns the error if it is an error object.
Result<Document> parse_document(const ApiClient& client, std::string_view text, const ports::Prompt& prompt) {
  auto document = Document::parse(text);
  if (!document || !document->root().is_object())
    return invalid_response("the response, or a part of the stream, is not a JSON object");
  if (const auto api_error = client.find_api_error(document->root())) return to_error(*api_error, prompt.model);
  return *std::move(document);
}

}  // namespace

using Json = nlohmann::json;

Json make_chat_request(const ports::Prompt& prompt) {
  return {{"model", prompt.model},
          {"messages", Json::array({{{"role", "user"}, {"content", prompt.text}}})},
          {"stream", prompt.is_stream}};
}

std::string serialize(const Json& request) { return request.dump(-1, ' ', false, Json::error_handler_t::replace); }

ServiceAddress make_bearer_address(const std::string& base_url, const std::string& key) {
  if (key.empty()) return {base_url, {}};
  return {base_url, {{"Authorization", std::string(kBearer) + key}}};
}

ApiClient::ApiClient(ports::HttpClient& http, const ports::Clock& clock, ServiceAddress address)
    : http_(http), clock_(clock), address_(strip_trailing_slashes(std::move(address))) {}

Result<ApiClient::Exchange> ApiClient::open(ports::Call& call, ports::HttpRequest request, std::string_view path,
                                            std::string_view accepted_type) const {
  const std::string url = address_.base_url + std::string(path);
  std::vector<ports::HttpField> fields{{"Accept", accepted_type}};
  if (!request.body.empty()) fields.push_back({"Content-Type", kJson});
  for (const auto& [name, value] : address_.fields) fields.push_back({name, value});
  request.url = url;
  request.fields = fields;
  auto exchange = http_.open(call, request);
  if (exchange || exchange.error().code != ErrorCode::InvalidArgument) return exchange;
  const Error& why = exchange.error();  // a wrong setting, not an error of the caller
  return Error{ErrorCode::Internal, "The request to the external service is not valid.",
               why.parameter + ": " + why.message};
}

Result<ApiClient::Exchange> ApiClient::post(ports::Call& call, std::string_view path, std::string_view accepted_type,
                                            std::string_view body, std::string_view model) const {
  ports::HttpRequest request;
  request.method = "POST";
  request.body = body;
  if (accepted_type == kJson) request.max_body_bytes = kMaxResponseBytes;
  auto exchange = open(call, request, path, accepted_type);
  if (!exchange) return exchange;
  const auto head = KBASE_TRY((*exchange)->head());
  if (head.status != kOk) return to_error(read_error_response(**exchange, head), model);
  return exchange;
}

Status ApiClient::check_health(ports::Call& call, std::string_view path) const {
  auto exchange = KBASE_TRY(open(call, {}, path, kJson));
  const auto head = KBASE_TRY(exchange->head());
  if (head.status == kOk || head.status == kNotFound || head.status == kMethodNotAllowed) return {};
  return to_error(read_error_response(*exchange, head), {});
}

ErrorResponse ApiClient::read_error_response(ports::HttpExchange& exchange, const ports::HttpHead& head) const {
  ErrorResponse error_response;
  error_response.status = head.status;
  error_response.retry_after = retry_after(head, clock_.now());
  const auto document = Document::parse(read_start(exchange));
  if (document) error_response.error = find_api_error(document->root()).value_or(ApiError());
  return error_response;
}

std::optional<ApiError> ApiClient::find_api_error(Value response) const {
  auto api_error = language_model::find_api_error(response);
  if (!api_error) return api_error;
  std::erase_if(api_error->names, [this](const std::string& name) { return is_api_key(name); });
  if (is_api_key(api_error->parameter)) api_error->parameter.clear();
  return api_error;
}

bool ApiClient::is_api_key(std::string_view text) const {
  return std::any_of(address_.fields.begin(), address_.fields.end(), [text](const Field& field) {
    const std::string_view value = field.second;
    return value == text || (value.starts_with(kBearer) && value.substr(kBearer.size()) == text);
  });
}

Status append_content(Value content, CompletionBuilder& completion) {
  if (!content.has_value()) return {};
  if (content.is_object()) return append_content(content.member("text"), completion);
  KBASE_TRY(completion.append_text(content.text()));
  for (std::size_t i = 0; i < content.size(); ++i) KBASE_TRY(append_content(content.at(i), completion));
  return {};
}

Result<std::string> read_body(ports::HttpExchange& response) {
  std::string text;
  while (true) {
    const auto more = KBASE_TRY(read_some(response, text));
    if (!more) return text;
  }
}

Result<ports::Completion> HttpLanguageModel::complete(ports::Call& call, const ports::Prompt& prompt,
                                                      Visitor<std::string_view> text) {
  const auto body = KBASE_TRY(make_request(prompt));
  const std::string_view stream_type = shape_.framing == Framing::Events ? "text/event-stream" : "application/x-ndjson";
  const std::string_view accepted_type = prompt.is_stream ? stream_type : "application/json";
  const auto response = KBASE_TRY(client_.post(call, shape_.completions_path, accepted_type, body, prompt.model));
  CompletionBuilder completion(prompt, text);
  KBASE_TRY(prompt.is_stream ? read_stream(*response, prompt, completion) : read(*response, prompt, completion));
  return completion.finish();
}

Status HttpLanguageModel::health(ports::Call& call) { return client_.check_health(call, shape_.health_path); }

Status HttpLanguageModel::read(ports::HttpExchange& response, const ports::Prompt& prompt,
                               CompletionBuilder& completion) const {
  const auto body = KBASE_TRY(read_body(response));
  const auto document = KBASE_TRY(parse_document(client_, body, prompt));
  return read_response(document.root(), completion);
}

Status HttpLanguageModel::read_stream(ports::HttpExchange& response, const ports::Prompt& prompt,
                                      CompletionBuilder& completion) const {
  PartStream stream(response, shape_.framing);
  while (true) {
    const auto found = KBASE_TRY(stream.next());
    if (!found || (!shape_.end_marker.empty() && stream.part() == shape_.end_marker)) return {};
    const auto document = KBASE_TRY(parse_document(client_, stream.part(), prompt));
    const auto read = KBASE_TRY(read_part(document.root(), completion));
    if (read == Part::Last) return {};
  }
}

}  // namespace kbase::language_model
