// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "adapters/base/json.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/routes.hpp"
#include "domain/base/result.hpp"
#include "ports/driving/external_services.hpp"

namespace kbase::http {
namespace {

using Json = nlohmann::json;

/// Far above what a valid request contains.
constexpr json::Bounds kBounds{.depth = 64, .values = 10'000};
constexpr double kMaxTemperature = 2.0;
constexpr std::uint64_t kMaxExactInteger =
    (std::uint64_t{1} << 53U) - 1;  // largest integer that a double represents exactly

std::variant<Json, Problem> parse_document(std::string_view text) {
  if (!json::is_within(kBounds, text))
    return make_invalid_body("The body has more than " + std::to_string(kBounds.values) + " values or more than " +
                             std::to_string(kBounds.depth) + " levels of nesting.");
  try {
    return Json::parse(text);
  } catch (const Json::out_of_range&) {
    return make_invalid_body("The body has a number that is too large.");
  } catch (const Json::parse_error&) {
    return make_invalid_body("The body is not JSON.");
  }
}

/// Reads members of an object and keeps the first error.
class MemberReader {
 public:
  explicit MemberReader(const Json& object) : object_(object) {}

  const Json* find(const char* name) const {
    const auto member = object_.find(name);
    return member != object_.end() ? &*member : nullptr;
  }

  void read_text(const char* name, std::optional<std::string>& into) {
    const Json* member = find(name);
    if (member == nullptr) return;
    if (!member->is_string()) return set_error(name, "must be a string");
    into = member->get<std::string>();
  }

  void read_count(const char* name, std::optional<std::uint64_t>& into) {
    const Json* member = find(name);
    if (member == nullptr) return;
    // JSON Schema treats 5.0 as an integer.
    const double value = member->is_number() ? member->get<double>() : 0.0;
    if (!(value >= 1.0 && value <= static_cast<double>(kMaxExactInteger) && value == std::floor(value)))
      return set_error(name, "must be a whole number from 1 to " + std::to_string(kMaxExactInteger));
    into = static_cast<std::uint64_t>(value);
  }

  void read_temperature(const char* name, std::optional<double>& into) {
    const Json* member = find(name);
    if (member == nullptr) return;
    const double value = member->is_number() ? member->get<double>() : -1.0;
    if (!(value >= 0.0 && value <= kMaxTemperature)) return set_error(name, "must be a number from 0 to 2");
    into = value;
  }

  void read_flag(const char* name, bool& into) {
    const Json* member = find(name);
    if (member == nullptr) return;
    if (!member->is_boolean()) return set_error(name, "must be true or false");
    into = member->get<bool>();
  }

  void set_error(const char* name, std::string_view reason) {
    if (!error_) error_ = invalid_argument(name, std::string(name) + " " + std::string(reason));
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  const Json& object_;
  std::optional<Error> error_;
};

/// Body of POST /external/llm. Owns its texts.
struct CompletionBody {
  std::string prompt;
  std::optional<std::string> model;
  std::optional<std::uint64_t> max_tokens;
  std::optional<double> temperature;
  bool stream = false;

  /// The returned views are valid as long as the body.
  ports::CompletionRequest request() const {
    ports::CompletionRequest request;
    request.prompt = prompt;
    if (model) request.model = *model;
    request.max_tokens = max_tokens;
    request.temperature = temperature;
    request.stream = stream;
    return request;
  }
};

/// Parses the body and ignores unknown members. Returns INVALID_BODY if it is not a JSON object, INVALID_PARAMETER if a
/// member is invalid.
std::variant<CompletionBody, Problem> parse_completion_body(std::string_view text) {
  const auto parsed = parse_document(text);
  if (const Problem* const problem = std::get_if<Problem>(&parsed)) return *problem;
  const Json& document = std::get<Json>(parsed);
  if (!document.is_object()) return make_invalid_body("The body must be a JSON object.");

  CompletionBody body;
  MemberReader members(document);
  std::optional<std::string> prompt;
  members.read_text("prompt", prompt);
  if (!prompt || prompt->empty()) members.set_error("prompt", "is required and must not be empty");
  members.read_text("model", body.model);
  members.read_count("max_tokens", body.max_tokens);
  members.read_temperature("temperature", body.temperature);
  members.read_flag("stream", body.stream);
  if (members.error()) return make_problem(*members.error(), Upstream::No);
  body.prompt = *std::move(prompt);
  return body;
}

/// The cached data are JSON and are copied without parsing.
Reply make_reply(const ports::UserReply& user) {
  constexpr std::string_view kBefore = R"({"success":true,"data":)";
  Reply reply;
  reply.body.reserve(kBefore.size() + user.text.size() + 1);
  reply.body.append(kBefore).append(user.text).append("}");
  if (user.age) add_field(reply.fields, "Age", std::to_string(user.age->count()));
  return reply;
}
using Outcome = ports::Completions::Outcome;

std::string_view finish_reason_name(ports::FinishReason reason) {
  switch (reason) {
    case ports::FinishReason::Stop: return "stop";
    case ports::FinishReason::Length: return "length";
    case ports::FinishReason::ContentFilter: return "content_filter";
    case ports::FinishReason::Other: break;
  }
  return "other";
}

/// Writes the members after the text.
void write_end(JsonWriter& json, const ports::Completion& completion) {
  json.key("finish_reason").text(finish_reason_name(completion.finish_reason));
  json.key("usage").begin_object();
  json.key("prompt_tokens").number(completion.prompt_tokens);
  json.key("completion_tokens").number(completion.completion_tokens);
  json.key("total_tokens").number(completion.prompt_tokens + completion.completion_tokens);
  json.end_object();
}

std::string format_delta(std::string_view piece) {
  std::string data;
  JsonWriter(data).begin_object().key("text").text(piece).end_object();
  return format_event("delta", data);
}

std::string format_done(const ports::Completion& completion) {
  std::string data;
  JsonWriter json(data);
  json.begin_object().key("model").text(completion.model);
  write_end(json, completion);
  json.end_object();
  return format_event("done", data);
}

Reply make_reply(const ports::Completion& completion, std::string_view text) {
  Reply reply;
  JsonWriter json(reply.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key("model").text(completion.model).key("completion").text(text);
  write_end(json, completion);
  json.end_object().end_object();
  return reply;
}

Reply make_reply(const ports::TokensSpent& spent, model::Instant now) {
  using std::chrono::seconds;
  Problem limited =
      make_problem(HttpStatus::Too_Many_Requests, "The tokens that remain for today are not enough for this prompt.");
  const auto reset = std::chrono::ceil<seconds>(spent.reset.time_since_epoch());
  JsonWriter(limited.details)
      .key("limit")
      .number(spent.limit)
      .key("reset")
      .number(static_cast<std::uint64_t>(reset.count()));
  limited.retry_after = std::max(seconds(1), std::chrono::ceil<seconds>(spent.reset - now));
  return make_reply(limited, now);
}

ports::ExternalClient make_external_client(const ports::Admission& admission) {
  return {admission.client_id.value_or(model::ClientId{}), admission.has_key, admission.plan.llm_tokens_per_day};
}

Result<Reply> collect_completion(const EndpointContext& context, const ports::CompletionRequest& request) {
  std::string text;
  const auto append_piece = [&](std::string_view piece) {
    text += piece;
    return Visit::Continue;
  };
  const auto outcome = KBASE_TRY(context.services.completions.complete(
      context.call, make_external_client(context.admission), request, append_piece));
  if (const auto* const spent = std::get_if<ports::TokensSpent>(&outcome)) return make_reply(*spent, context.now);
  return make_reply(std::get<ports::Completion>(outcome), text);
}

/// Streams a completion. An error before the first event is the reply; a later one becomes an event of the stream.
Result<Reply> stream_completion(const EndpointContext& context, const ports::CompletionRequest& request) {
  const auto send = [&](std::string_view piece) {
    return context.stream.send(format_delta(piece)) ? Visit::Continue : Visit::Stop;
  };
  const auto outcome = KBASE_TRY(
      context.services.completions.complete(context.call, make_external_client(context.admission), request, send));
  if (const auto* const spent = std::get_if<ports::TokensSpent>(&outcome)) return make_reply(*spent, context.now);
  context.stream.send(format_done(std::get<ports::Completion>(outcome)));
  return Reply{};
}

}  // namespace

std::optional<Reply> find_cached_user(const Services& services, std::string_view segment) {
  Parameters parameters("codehost", {});
  const std::string username = parameters.read_path_segment("username", segment);
  if (parameters.error()) return std::nullopt;
  const auto user = services.users.find_cached(username);
  if (!user) return std::nullopt;
  return make_reply(*user);
}

Result<Reply> get_codehost_user(const EndpointContext& context) {
  Parameters parameters("codehost", context.query);
  const std::string username = parameters.read_path_segment("username", context.segment);
  if (parameters.error()) return *parameters.error();
  const ports::Admission& admission = context.admission;
  const ports::ExternalClient client{admission.client_id.value_or(model::ClientId{}), admission.has_key};
  const auto user = KBASE_TRY(context.services.users.look_up(context.call, client, username));
  return make_reply(user);
}

Result<Reply> post_completion(const EndpointContext& context) {
  const auto parsed = parse_completion_body(context.request.body());
  if (const auto* problem = std::get_if<Problem>(&parsed)) return make_reply(*problem, context.now);
  const ports::CompletionRequest request = std::get<CompletionBody>(parsed).request();
  return request.stream ? stream_completion(context, request) : collect_completion(context, request);
}

}  // namespace kbase::http
