// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/api_error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/base/json.hpp"
#include "adapters/base/retry_after.hpp"
#include "domain/base/text.hpp"

namespace kbase::language_model {
namespace {

/// The error that a response maps to.
struct ErrorMapping {
  ErrorCode code;
  const char* message;
  const char* parameter;
  const char* advice;  ///< for the log
};

constexpr ErrorMapping kUnknownModel = {ErrorCode::InvalidArgument, "The external service does not know this model.",
                                        "model", ""};
constexpr ErrorMapping kPromptTooLong = {ErrorCode::InvalidArgument, "The prompt is too long for the model.", "prompt",
                                         ""};
constexpr ErrorMapping kTooManyTokens = {ErrorCode::InvalidArgument, "The model does not accept this number of tokens.",
                                         "max_tokens", ""};
constexpr ErrorMapping kTemperature = {ErrorCode::InvalidArgument, "The model does not accept this temperature.",
                                       "temperature", ""};
constexpr ErrorMapping kInvalidKey = {
    ErrorCode::BadUpstream, "The external service refused the server's request.", "",
    ": it does not accept our API key; set llm.config.api_key to a valid key with access to the model"};
constexpr ErrorMapping kNoCredit = {ErrorCode::Unavailable, "The external service accepts no requests at the moment.",
                                    "", ": the credit of the account is used up"};
constexpr ErrorMapping kOverloaded = {ErrorCode::Unavailable, "The external service accepts no requests at the moment.",
                                      "", ": it received too many requests"};
constexpr ErrorMapping kWrongPath = {
    ErrorCode::BadUpstream, "The external service refused the server's request.", "",
    ": there is no prompt endpoint; check that llm.config.base_url is the base URL of the API"};
constexpr ErrorMapping kRedirected = {
    ErrorCode::BadUpstream, "The external service refused the server's request.", "",
    ": it redirects, and prompts do not follow redirects; set llm.config.base_url to the target of the redirect"};
constexpr ErrorMapping kRefused = {ErrorCode::BadUpstream, "The external service refused the server's request.", "",
                                   ": it does not accept a member of the request"};
constexpr ErrorMapping kFailed = {ErrorCode::BadUpstream, "The external service failed.", "", ""};

/// HTTP statuses for names of errors, for errors that come without a status.
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 12> kStatuses = {{
    {"invalid_request_error", 400},
    {"exceed_context_size_error", 400},
    {"authentication_error", 401},
    {"billing_error", 402},
    {"insufficient_quota", 402},
    {"permission_error", 403},
    {"not_found_error", 404},
    {"request_too_large", 413},
    {"rate_limit_error", 429},
    {"rate_limit_exceeded", 429},
    {"unavailable_error", 503},
    {"overloaded_error", 529},
}};
constexpr std::uint32_t kInternalError = 500;

/// Whether `text` can be logged. It contains no digits, so it is not an API key.
bool is_identifier(std::string_view text) {
  constexpr std::size_t kMaxBytes = 48;
  const auto fits = [](char c) { return ascii::is_letter(c) || c == '_'; };
  return !text.empty() && text.size() <= kMaxBytes && std::all_of(text.begin(), text.end(), fits);
}

void add_name(ApiError& api_error, std::string_view name) {
  if (is_identifier(name)) api_error.names.emplace_back(name);
}

/// Anthropic has no member for the parameter but starts its message with it: "max_tokens: 9000 > 8192, which is ...".
std::string_view parameter_in(std::string_view message) {
  const std::size_t colon = message.find(':');
  return colon == std::string_view::npos ? std::string_view() : message.substr(0, colon);
}

bool is_named(const ApiError& api_error, std::initializer_list<std::string_view> names) {
  return std::find_first_of(api_error.names.begin(), api_error.names.end(), names.begin(), names.end()) !=
         api_error.names.end();
}

bool is_unknown_model(const ErrorResponse& response, std::string_view model) {
  const ApiError& api_error = response.error;
  if (api_error.parameter == "model" || is_named(api_error, {"model_not_found", "invalid_model"})) return true;
  return response.status == 404 && api_error.message.find(model) != std::string::npos;
}

const ErrorMapping& map_status(std::uint32_t status) {
  if (status >= 300 && status < 400) return kRedirected;
  switch (status) {
    case 401:
    case 403: return kInvalidKey;
    case 402: return kNoCredit;
    case 404:
    case 405: return kWrongPath;
    case 413: return kPromptTooLong;
    case 429:
    case 503:
    case 529:  // Anthropic: overloaded
      return kOverloaded;
    default: return status >= 400 && status < kInternalError ? kRefused : kFailed;
  }
}

const ErrorMapping& map_error(const ErrorResponse& response, std::string_view model) {
  const ApiError& api_error = response.error;
  if (is_unknown_model(response, model)) return kUnknownModel;
  if (is_named(api_error, {"context_length_exceeded", "exceed_context_size_error", "request_too_large"}) ||
      api_error.message.starts_with("prompt is too long"))
    return kPromptTooLong;
  if (response.status == 400 && api_error.parameter == "temperature") return kTemperature;
  if (response.status == 400 && !is_named(api_error, {"unsupported_parameter"}) &&
      (api_error.parameter == "max_tokens" || api_error.parameter == "max_completion_tokens"))
    return kTooManyTokens;
  if (is_named(api_error, {"insufficient_quota", "billing_error"})) return kNoCredit;
  return map_status(response.status);
}

std::string format_names(const ApiError& api_error) {
  std::string list;
  const auto add = [&](const std::string& name) { list += (list.empty() ? " (" : ", ") + name; };
  for (const std::string& name : api_error.names) add(name);
  if (is_identifier(api_error.parameter)) add(api_error.parameter);
  return list.empty() ? list : list + ")";
}

Error make_error(const ErrorResponse& response, std::string_view model, const std::string& event) {
  const ErrorMapping& mapping = map_error(response, model);
  const auto retry_after = mapping.code == ErrorCode::Unavailable ? response.retry_after : std::chrono::milliseconds(0);
  return {mapping.code, mapping.message, event + format_names(response.error) + mapping.advice, mapping.parameter,
          retry_after};
}

std::uint32_t status_of(const ApiError& api_error) {
  if (api_error.status) return *api_error.status;
  for (const auto& [name, status] : kStatuses)
    if (is_named(api_error, {name})) return status;
  return kInternalError;
}

using std::chrono::milliseconds;

std::string_view get_field(const ports::HttpHead& head, std::string_view name) {
  const auto found = std::find_if(head.fields.begin(), head.fields.end(),
                                  [&](const ports::HttpField& known) { return known.name == name; });
  return found == head.fields.end() ? std::string_view() : found->value;
}

/// Parses a number of units of `unit_ms` milliseconds, with nothing after it.
std::optional<milliseconds> parse_number(std::string_view text, double unit_ms) {
  const auto number = http_fields::consume_number(text);
  if (!number || !text.empty()) return std::nullopt;
  return http_fields::clamp_wait(*number * unit_ms);
}

/// Parses "1h2m3.5s" or "20ms". A number without unit is in seconds.
std::optional<milliseconds> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ms", 1.0}, {"s", 1000.0}, {"m", 60'000.0}, {"h", 3'600'000.0}}};
  if (const auto seconds = parse_number(text, 1000)) return seconds;
  double ms = 0;
  while (!text.empty()) {
    const auto number = http_fields::consume_number(text);
    const auto* const unit =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& known) { return text.starts_with(known.first); });
    if (!number || unit == kUnits.end()) return std::nullopt;
    ms += *number * unit->second;
    text.remove_prefix(unit->first.size());
  }
  return http_fields::clamp_wait(ms);
}

milliseconds longest_reset(const ports::HttpHead& head) {
  milliseconds longest{0};
  for (const std::string kind : {"requests", "tokens"}) {
    const std::string_view remaining = get_field(head, "x-ratelimit-remaining-" + kind);
    const auto span = parse_duration(get_field(head, "x-ratelimit-reset-" + kind));
    if (span && (remaining.empty() || remaining == "0")) longest = std::max(longest, *span);
  }
  return longest;
}

using Json = nlohmann::json;

constexpr json::Bounds kBounds{.depth = 16, .values = 10'000};
constexpr std::size_t kEscapeSize = 6;  // \uXXXX

// The parser accepts only UTF-8. So a byte B that is not part of valid UTF-8 is passed as the private-use character
// U+10FF00 + B and restored after parsing. Only documents with such bytes are searched for these characters.
constexpr std::string_view kPlaceholderStart = "\xF4\x8F";
constexpr std::size_t kPlaceholderSize = 4;

void append_placeholder(std::string& text, char c) {
  const auto byte = static_cast<unsigned char>(c);
  text.append(kPlaceholderStart);
  text += static_cast<char>(0xBC | byte >> 6);
  text += static_cast<char>(0x80 | (byte & 0x3F));
}

void restore_bytes(std::string& text) {
  for (std::size_t at = text.find(kPlaceholderStart); at != std::string::npos;
       at = text.find(kPlaceholderStart, at + 1)) {
    const auto high = static_cast<unsigned char>(text[at + 2]);
    if (high < 0xBE) continue;
    const auto low = static_cast<unsigned char>(text[at + 3]);
    text.replace(at, kPlaceholderSize, 1, static_cast<char>((high & 3) << 6 | (low & 0x3F)));
  }
}

/// Returns the UTF-16 code unit of the escape at the start of `text`; nullopt: there is no escape.
std::optional<unsigned> escaped_unit(std::string_view text) {
  if (text.size() < kEscapeSize || !text.starts_with("\\u")) return std::nullopt;
  unsigned unit = 0;
  const char* const end = text.data() + kEscapeSize;
  const auto [stop, error] = std::from_chars(text.data() + 2, end, unit, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return unit;
}

bool is_high_surrogate(std::optional<unsigned> unit) { return unit && *unit >= 0xD800 && *unit <= 0xDBFF; }
bool is_low_surrogate(std::optional<unsigned> unit) { return unit && *unit >= 0xDC00 && *unit <= 0xDFFF; }

/// Appends half of a surrogate pair as the three bytes that UTF-8 would give it, which are not UTF-8: see Utf8Stream.
void append_half_pair(std::string& text, unsigned unit) {
  append_placeholder(text, static_cast<char>(0xE0 | unit >> 12));
  append_placeholder(text, static_cast<char>(0x80 | (unit >> 6 & 0x3F)));
  append_placeholder(text, static_cast<char>(0x80 | (unit & 0x3F)));
}

/// Moves the escape at the start of `rest` to `repaired`.
void repair_escape(std::string_view& rest, std::string& repaired) {
  const auto unit = escaped_unit(rest);
  std::size_t size = unit ? kEscapeSize : std::min<std::size_t>(rest.size(), 2);
  if (is_high_surrogate(unit) && is_low_surrogate(escaped_unit(rest.substr(kEscapeSize)))) size = 2 * kEscapeSize;
  const bool is_half_pair = size == kEscapeSize && (is_high_surrogate(unit) || is_low_surrogate(unit));
  if (is_half_pair)
    append_half_pair(repaired, *unit);
  else
    repaired += rest.substr(0, size);
  rest.remove_prefix(size);
}

/// Returns `text` with invalid UTF-8 and halves of surrogate pairs replaced, so that the parser accepts it. Both occur
/// in streams that split a character.
std::string repaired(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 16);
  while (!text.empty()) {
    if (text.front() == '\\') {
      repair_escape(text, result);
      continue;
    }
    const std::size_t length = utf8::sequence_length(text);
    if (length == 0)
      append_placeholder(result, text.front());
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::optional<Json> parse_json(std::string_view text, bool has_placeholders) {
  using Event = Json::parse_event_t;
  const auto restore = [](int, Event event, Json& value) {
    if (event == Event::value && value.is_string()) restore_bytes(value.get_ref<std::string&>());
    return true;
  };
  Json root = Json::parse(text, has_placeholders ? restore : Json::parser_callback_t(), /*allow_exceptions=*/false);
  if (root.is_discarded()) return std::nullopt;
  return root;
}

}  // namespace

std::optional<ApiError> find_api_error(Value response) {
  const Value error = response.member("error");
  if (!error.has_value()) return std::nullopt;
  ApiError api_error;
  api_error.message = error.is_object() ? error.member("message").text() : error.text();
  api_error.parameter = error.member("param").text();
  if (api_error.parameter.empty()) api_error.parameter = parameter_in(api_error.message);
  add_name(api_error, error.member("type").text());
  add_name(api_error, error.member("code").text());
  const auto code = error.member("code").count();
  if (code && *code >= 400 && *code < 600) api_error.status = static_cast<std::uint32_t>(*code);
  return api_error;
}

Error to_error(const ErrorResponse& response, std::string_view model) {
  return make_error(response, model, "it returned status " + std::to_string(response.status));
}

Error to_error(const ApiError& api_error, std::string_view model) {
  return make_error({status_of(api_error), api_error, {}}, model, "the response is an error object");
}

Error invalid_response(std::string detail) {
  return {ErrorCode::BadUpstream, "The external service sent an invalid response.", std::move(detail)};
}

milliseconds retry_after(const ports::HttpHead& head, model::Instant now) {
  if (const auto exact = parse_number(get_field(head, "retry-after-ms"), 1)) return *exact;
  if (const auto wait = http_fields::parse_retry_after(get_field(head, "retry-after"), now)) return *wait;
  return longest_reset(head);
}

Value Value::member(std::string_view name) const {
  if (!is_object()) return {};
  const auto found = value_->find(name);
  return found == value_->end() ? Value() : Value(&*found);
}

Value Value::at(std::size_t index) const { return index < size() ? Value(&(*value_)[index]) : Value(); }

std::size_t Value::size() const { return value_ != nullptr && value_->is_array() ? value_->size() : 0; }

bool Value::has_value() const { return value_ != nullptr && !value_->is_null(); }

bool Value::is_object() const { return value_ != nullptr && value_->is_object(); }

bool Value::is_true() const { return value_ != nullptr && value_->is_boolean() && value_->get<bool>(); }

std::string_view Value::text() const {
  return value_ != nullptr && value_->is_string() ? value_->get_ref<const std::string&>() : std::string_view();
}

std::optional<std::uint64_t> Value::count() const {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (value_ == nullptr || !value_->is_number_unsigned() || value_->get<std::uint64_t>() > kMax) return std::nullopt;
  return value_->get<std::uint64_t>();
}

Document::Document(std::unique_ptr<const Json> root) : root_(std::move(root)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::optional<Document> Document::parse(std::string_view text) {
  if (!json::is_within(kBounds, text)) return std::nullopt;
  auto root = parse_json(text, false);
  if (!root) root = parse_json(repaired(text), true);
  if (!root) return std::nullopt;
  return Document(std::make_unique<const Json>(*std::move(root)));
}

}  // namespace kbase::language_model
