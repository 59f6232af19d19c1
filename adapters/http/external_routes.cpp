// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/http/json_body.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/routes.hpp"
#include "domain/base/result.hpp"
#include "ports/driving/external_services.hpp"

namespace kbase::http {
namespace {

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
  const auto parsed = parse_object(text);
  if (const Problem* const problem = std::get_if<Problem>(&parsed)) return *problem;

  CompletionBody body;
  MemberReader members(std::get<Json>(parsed));
  body.prompt = members.read_required_text("prompt");
  members.read_text("model", body.model);
  members.read_count("max_tokens", body.max_tokens);
  members.read_temperature("temperature", body.temperature);
  std::optional<bool> stream;
  members.read_flag("stream", stream);
  body.stream = stream.value_or(false);
  if (members.error()) return make_problem(*members.error(), Upstream::No);
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
