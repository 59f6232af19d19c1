// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/complaint.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace kbase::language_model {
namespace {

using model::ErrorCode;

/// The error that a refusal maps to.
struct Meaning {
  ErrorCode code;
  const char* message;
  const char* parameter;
  const char* advice;  ///< for the log
};

constexpr Meaning kUnknownModel = {ErrorCode::InvalidArgument, "The service does not know this model.", "model", ""};
constexpr Meaning kLongPrompt = {ErrorCode::InvalidArgument, "The prompt is longer than the model takes.", "prompt",
                                 ""};
constexpr Meaning kManyTokens = {ErrorCode::InvalidArgument, "The model does not take this number of tokens.",
                                 "max_tokens", ""};
constexpr Meaning kTemperature = {ErrorCode::InvalidArgument, "The model does not take this temperature.",
                                  "temperature", ""};
constexpr Meaning kKey = {
    ErrorCode::BadUpstream, "The external service refused the server's request.", "",
    ": it does not take our key; set llm.config.api_key to one that it knows and that may use the model"};
constexpr Meaning kCredit = {ErrorCode::Unavailable, "The external service takes no requests at the moment.", "",
                             ": the credit of our account is used up"};
constexpr Meaning kBusy = {ErrorCode::Unavailable, "The external service takes no requests at the moment.", "",
                           ": it has enough of them for now"};
constexpr Meaning kPath = {
    ErrorCode::BadUpstream, "The external service refused the server's request.", "",
    ": nothing takes prompts there; see whether llm.config.base_url ends as the service's API does"};
constexpr Meaning kRedirect = {
    ErrorCode::BadUpstream, "The external service refused the server's request.", "",
    ": it is elsewhere, and prompts follow no redirect; set llm.config.base_url to where it is"};
constexpr Meaning kRefused = {ErrorCode::BadUpstream, "The external service refused the server's request.", "",
                              ": it does not take a request as we write it"};
constexpr Meaning kFailed = {ErrorCode::BadUpstream, "The external service failed.", "", ""};

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
  constexpr std::size_t kLongest = 48;
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && text.size() <= kLongest && std::all_of(text.begin(), text.end(), fits);
}

void add_name(Complaint& complaint, std::string_view name) {
  if (is_identifier(name)) complaint.names.emplace_back(name);
}

/// Anthropic has no member for the parameter but starts its message with it: "max_tokens: 9000 > 8192, which is ...".
std::string_view parameter_in(std::string_view sentence) {
  const std::size_t colon = sentence.find(':');
  return colon == std::string_view::npos ? std::string_view() : sentence.substr(0, colon);
}

bool is_named(const Complaint& complaint, std::initializer_list<std::string_view> names) {
  return std::find_first_of(complaint.names.begin(), complaint.names.end(), names.begin(), names.end()) !=
         complaint.names.end();
}

bool is_about_model(const Refusal& refusal, std::string_view model) {
  const Complaint& complaint = refusal.complaint;
  if (complaint.parameter == "model" || is_named(complaint, {"model_not_found", "invalid_model"})) return true;
  return refusal.status == 404 && complaint.sentence.find(model) != std::string::npos;
}

const Meaning& meaning_of_status(std::uint32_t status) {
  if (status >= 300 && status < 400) return kRedirect;
  switch (status) {
    case 401:
    case 403:
      return kKey;
    case 402:
      return kCredit;
    case 404:
    case 405:
      return kPath;
    case 413:
      return kLongPrompt;
    case 429:
    case 503:
    case 529:  // Anthropic: overloaded
      return kBusy;
    default:
      return status >= 400 && status < kInternalError ? kRefused : kFailed;
  }
}

const Meaning& meaning_of(const Refusal& refusal, std::string_view model) {
  const Complaint& complaint = refusal.complaint;
  if (is_about_model(refusal, model)) return kUnknownModel;
  if (is_named(complaint, {"context_length_exceeded", "exceed_context_size_error", "request_too_large"}) ||
      complaint.sentence.starts_with("prompt is too long"))
    return kLongPrompt;
  if (refusal.status == 400 && complaint.parameter == "temperature") return kTemperature;
  if (refusal.status == 400 && !is_named(complaint, {"unsupported_parameter"}) &&
      (complaint.parameter == "max_tokens" || complaint.parameter == "max_completion_tokens"))
    return kManyTokens;
  if (is_named(complaint, {"insufficient_quota", "billing_error"})) return kCredit;
  return meaning_of_status(refusal.status);
}

std::string list_of(const Complaint& complaint) {
  std::string list;
  const auto add = [&](const std::string& name) { list += (list.empty() ? " (" : ", ") + name; };
  for (const std::string& name : complaint.names) add(name);
  if (is_identifier(complaint.parameter)) add(complaint.parameter);
  return list.empty() ? list : list + ")";
}

model::Error made_of(const Refusal& refusal, std::string_view model, const std::string& what_it_did) {
  const Meaning& meaning = meaning_of(refusal, model);
  const auto retry_after = meaning.code == ErrorCode::Unavailable ? refusal.retry_after : std::chrono::milliseconds(0);
  return {meaning.code, meaning.message, what_it_did + list_of(refusal.complaint) + meaning.advice, meaning.parameter,
          retry_after};
}

std::uint32_t status_of(const Complaint& complaint) {
  if (complaint.status) return *complaint.status;
  for (const auto& [name, status] : kStatuses)
    if (is_named(complaint, {name})) return status;
  return kInternalError;
}

}  // namespace

std::optional<Complaint> complaint_in(Value answer) {
  const Value error = answer.member("error");
  if (!error.is_given()) return std::nullopt;
  Complaint complaint;
  complaint.sentence = error.is_object() ? error.member("message").text() : error.text();
  complaint.parameter = error.member("param").text();
  if (complaint.parameter.empty()) complaint.parameter = parameter_in(complaint.sentence);
  add_name(complaint, error.member("type").text());
  add_name(complaint, error.member("code").text());
  const auto code = error.member("code").count();
  if (code && *code >= 400 && *code < 600) complaint.status = static_cast<std::uint32_t>(*code);
  return complaint;
}

model::Error error_of(const Refusal& refusal, std::string_view model) {
  return made_of(refusal, model, "it answered " + std::to_string(refusal.status));
}

model::Error error_of(const Complaint& complaint, std::string_view model) {
  return made_of({status_of(complaint), complaint, {}}, model, "it ended its answer with an error");
}

model::Error nonsense(std::string detail) {
  return {ErrorCode::BadUpstream, "The external service's answer can't be used.", std::move(detail), {}, {}};
}

}  // namespace kbase::language_model
