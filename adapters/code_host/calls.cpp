// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/calls.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/code_host/failure.hpp"
#include "adapters/code_host/rate_limit.hpp"

namespace kbase::code_host {
namespace {

constexpr std::uint64_t kMaxBodyBytes = 8U << 20U;
constexpr std::uint32_t kFirstFailure = 500;
constexpr std::uint32_t kServiceUnavailable = 503;

/// Returns for example "GET /users/mona answered 404".
std::string what_happened(const Answer& answer, const Request& request) {
  return (request.body.empty() ? "GET " : "POST ") + request.path.substr(0, request.path.find('?')) + " answered " +
         std::to_string(answer.status);
}

model::Error refused_token(const Answer& answer, const Request& request) {
  return bad_answer(what_happened(answer, request) +
                    ": the service refuses codehost.config.token; put a valid one there, or none");
}

/// Returns an error for a response that no caller can use.
model::Status judge(const Answer& answer, const Request& request, const Api& api) {
  const model::Instant now = api.clock.now();
  if (answer.status == kServiceUnavailable)
    return unavailable(what_happened(answer, request), retry_after(answer, now).value_or(std::chrono::seconds(0)));
  if (answer.status >= kFirstFailure) return bad_answer(what_happened(answer, request));
  if (answer.status == kUnauthorized && request.asked == Asked::WithToken && !api.authorization.empty())
    return refused_token(answer, request);
  return {};
}

}  // namespace

model::Result<Answer> Pending::read() {
  auto answer = calls_->read_to_end(std::move(sent_));
  const Api& api = calls_->api();
  const std::string_view target = answer ? answer->moved_to(api.origin) : std::string_view();
  if (!target.empty() && request_.body.empty() && api.covers(target)) {
    request_.path = target;
    auto sent = calls_->begin(request_, {});
    if (!sent) return sent.error();
    answer = calls_->read_to_end(*std::move(sent));
  }
  if (!answer) return answer.error();
  if (const auto wait = asked_to_wait(*answer, api.clock.now())) {
    const bool is_of_token = request_.asked == Asked::WithToken || api.authorization.empty();
    if (is_of_token) calls_->wait_ = std::max(*wait, calls_->wait_.value_or(*wait));
    return unavailable(what_happened(*answer, request_) + ": the service's rate limit is used up", *wait);
  }
  if (const auto judged = judge(*answer, request_, api); !judged) return judged.error();
  return answer;
}

model::Result<Sent> Calls::begin(const Request& request, std::string_view if_none_match) {
  if (api_.http == nullptr) return unavailable("no HTTP is lent for codehost.config.base_url", {});
  if (left_ == 0) return bad_answer("codehost.config.max_calls is too small for this user");
  --left_;
  // A call may be repeated once after a failure, unless few calls are left. So at least half of the calls can start.
  const std::uint32_t repeats = request.body.empty() && left_ >= kMinCalls ? 1 : 0;
  left_ -= repeats;
  std::vector<ports::HttpField> fields;
  for (const Field& field : api_.fields) fields.push_back({field.name, field.value});
  if (request.asked == Asked::WithToken && !api_.authorization.empty())
    fields.push_back({"Authorization", api_.authorization});
  if (!if_none_match.empty()) fields.push_back({"If-None-Match", if_none_match});
  if (!request.body.empty()) fields.push_back({"Content-Type", "application/json"});

  const std::string url = api_.origin + request.path;
  ports::HttpRequest sent;
  sent.method = request.body.empty() ? "GET" : "POST";
  sent.url = url;
  sent.fields = fields;
  sent.body = request.body;
  sent.max_body_bytes = kMaxBodyBytes;
  sent.max_attempts = 1 + repeats;
  auto exchange = api_.http->open(call_, sent);
  // An invalid URL comes from the service or from the settings, never from the caller.
  if (!exchange && exchange.error().code == model::ErrorCode::InvalidArgument)
    return bad_answer("what it leads to can't be asked for: " + exchange.error().message);
  if (!exchange) return exchange.error();
  return Sent{*std::move(exchange), sent.max_attempts};
}

/// Gives back the attempts that the call did not use.
model::Result<Answer> Calls::read_to_end(Sent sent) {
  ports::HttpExchange& exchange = *sent.exchange;
  const auto head = exchange.head();
  if (!head) return head.error();
  left_ += sent.max_attempts - std::clamp(head->attempts, 1U, sent.max_attempts);
  Answer answer;
  answer.status = head->status;
  for (const ports::HttpField& field : head->fields)
    answer.fields.push_back({std::string(field.name), std::string(field.value)});
  std::array<char, 16384> buffer;
  while (true) {
    const auto got = exchange.read(buffer);
    if (!got) return got.error();
    if (*got == 0) return answer;
    answer.body.append(buffer.data(), *got);
  }
}

model::Result<Pending> Calls::open(Request request, std::string_view if_none_match) {
  auto sent = begin(request, if_none_match);
  if (!sent) return sent.error();
  return Pending(*this, std::move(request), *std::move(sent));
}

model::Result<Answer> Calls::get(Request request) {
  auto pending = open(std::move(request));
  if (!pending) return pending.error();
  return pending->read();
}

model::Status expect_ok(const Answer& answer, const Request& request) {
  if (answer.status == kOk) return {};
  const bool is_refused = answer.status == kUnauthorized || answer.status == kForbidden;
  return bad_answer(what_happened(answer, request) +
                    (is_refused ? ": the service wants a codehost.config.token that may read this" : ""));
}

}  // namespace kbase::code_host
