// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "adapters/http/completion_body.hpp"
#include "adapters/http/event_stream.hpp"
#include "adapters/http/json_writer.hpp"
#include "adapters/http/routes.hpp"

namespace kbase::http {
namespace {

using model::Visit;
using Outcome = ports::Completions::Outcome;

std::string_view name_of(ports::FinishReason reason) {
  switch (reason) {
    case ports::FinishReason::Stop:
      return "stop";
    case ports::FinishReason::Length:
      return "length";
    case ports::FinishReason::ContentFilter:
      return "content_filter";
    case ports::FinishReason::Other:
      break;
  }
  return "other";
}

/// Writes the members after the text.
void write_end(JsonWriter& json, const ports::Completion& completion) {
  json.key("finish_reason").text(name_of(completion.finish_reason));
  json.key("usage").begin_object();
  json.key("prompt_tokens").number(completion.prompt_tokens);
  json.key("completion_tokens").number(completion.completion_tokens);
  json.key("total_tokens").number(completion.prompt_tokens + completion.completion_tokens);
  json.end_object();
}

std::string delta(std::string_view piece) {
  std::string data;
  JsonWriter(data).begin_object().key("text").text(piece).end_object();
  return event("delta", data);
}

std::string done(const ports::Completion& completion) {
  std::string data;
  JsonWriter json(data);
  json.begin_object().key("model").text(completion.model);
  write_end(json, completion);
  json.end_object();
  return event("done", data);
}

Answer answer_of(const ports::Completion& completion, std::string_view text) {
  Answer answer;
  JsonWriter json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key("model").text(completion.model).key("completion").text(text);
  write_end(json, completion);
  json.end_object().end_object();
  return answer;
}

Answer answer_of(const ports::TokensSpent& spent, model::Instant now) {
  using std::chrono::seconds;
  Problem limited = problem(Status::Too_Many_Requests, "The day's tokens do not suffice for this prompt.");
  const auto reset = std::chrono::ceil<seconds>(spent.reset.time_since_epoch());
  JsonWriter(limited.details)
      .key("limit")
      .number(spent.limit)
      .key("reset")
      .number(static_cast<std::uint64_t>(reset.count()));
  limited.retry_after = std::max(seconds(1), std::chrono::ceil<seconds>(spent.reset - now));
  return answer_of(limited, now);
}

ports::ExternalClient client_of(const ports::Admission& admission) {
  return {admission.client_id.value_or(model::ClientId{}), admission.has_key, admission.plan.llm_tokens_per_day};
}

model::Result<Answer> complete(const Context& context, const ports::CompletionRequest& request) {
  std::string text;
  const auto keep = [&](std::string_view piece) {
    text += piece;
    return Visit::Continue;
  };
  const auto outcome = context.services.completions.complete(context.call, client_of(context.admission), request, keep);
  if (!outcome) return outcome.error();
  if (const auto* const spent = std::get_if<ports::TokensSpent>(&*outcome)) return answer_of(*spent, context.now);
  return answer_of(std::get<ports::Completion>(*outcome), text);
}

/// Streams a completion. An error before the first event is the reply; a later one becomes an event of the stream.
model::Result<Answer> stream(const Context& context, const ports::CompletionRequest& request) {
  const auto send = [&](std::string_view piece) {
    return context.stream.send(delta(piece)) ? Visit::Continue : Visit::Stop;
  };
  const auto outcome = context.services.completions.complete(context.call, client_of(context.admission), request, send);
  if (!outcome) return outcome.error();
  if (const auto* const spent = std::get_if<ports::TokensSpent>(&*outcome)) return answer_of(*spent, context.now);
  context.stream.send(done(std::get<ports::Completion>(*outcome)));
  return Answer{};
}

}  // namespace

model::Result<Answer> post_completion(const Context& context) {
  const auto parsed = parse_completion_body(context.request.body());
  if (const auto* problem = std::get_if<Problem>(&parsed)) return answer_of(*problem, context.now);
  const ports::CompletionRequest request = std::get<CompletionBody>(parsed).request();
  return request.stream ? stream(context, request) : complete(context, request);
}

}  // namespace kbase::http
