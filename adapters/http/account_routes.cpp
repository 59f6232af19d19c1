// SPDX-License-Identifier: Apache-2.0
// Accounts of developers: signing up and in by a mailed link, and keys.

#include "adapters/http/cookies.hpp"
#include "adapters/http/json_body.hpp"
#include "adapters/http/json_writer.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/routes.hpp"
#include "domain/base/result.hpp"

namespace kbase::http {
namespace {

constexpr std::string_view kSessionCookie = "kbase_session";

std::string session_cookie(const EndpointContext& context, std::string_view secret, std::chrono::seconds age) {
  return format_cookie(kSessionCookie, secret, age, context.origin.starts_with("https:"));
}

Result<ports::Accounts*> find_accounts(const EndpointContext& context) {
  if (context.services.accounts != nullptr) return context.services.accounts;
  return Error{ErrorCode::NotFound, "This knowledge base has no accounts; ask its operator for a key."};
}

/// Reads one text of the body.
std::variant<std::string, Problem> read_body(const EndpointContext& context, const char* name) {
  const auto parsed = parse_object(context.request.body());
  if (const auto* const problem = std::get_if<Problem>(&parsed)) return *problem;
  MemberReader members(std::get<Json>(parsed));
  std::string text = members.read_required_text(name);
  if (members.error()) return make_problem(*members.error(), Upstream::No);
  return text;
}

Reply make_data_reply(FunctionRef<void(JsonWriter&)> write_data, HttpStatus status = HttpStatus::Ok) {
  Reply reply;
  reply.status = status;
  JsonWriter json(reply.body);
  json.begin_object().key("success").boolean(true).key("data");
  write_data(json);
  json.end_object();
  return reply;
}

Reply make_empty_reply() {
  Reply reply;
  reply.status = HttpStatus::No_Content;
  return reply;
}

/// Answers a request for a link. The reply is the same whether an account has the address or not.
Result<Reply> request_link(const EndpointContext& context,
                           Status (ports::Accounts::*request)(ports::Call&, std::string_view, std::string_view)) {
  const auto accounts = KBASE_TRY(find_accounts(context));
  const auto email = read_body(context, "email");
  if (const auto* const problem = std::get_if<Problem>(&email)) return make_reply(*problem, context.now);
  KBASE_TRY((accounts->*request)(context.call, std::get<std::string>(email), context.address));
  const auto write = [](JsonWriter& json) {
    json.begin_object().key("message").text("If the address can be used, a mail with a link is on its way to it.");
    json.end_object();
  };
  return make_data_reply(write, HttpStatus::Accepted);
}

/// Calls `endpoint` with the secret of the session. Without a valid session the reply is a 401.
Result<Reply> with_session(const EndpointContext& context,
                           FunctionRef<Result<Reply>(ports::Accounts&, std::string_view)> endpoint) {
  const auto accounts = KBASE_TRY(find_accounts(context));
  const auto reply = endpoint(*accounts, find_cookie(context.request, kSessionCookie).value_or(""));
  const bool has_no_session = !reply && reply.error().code == ErrorCode::NotFound && reply.error().parameter.empty();
  if (!has_no_session) return reply;
  Problem problem = make_problem(HttpStatus::Unauthorized, reply.error().message);
  problem.challenge = {};
  return make_reply(problem, context.now);
}

void write_window(JsonWriter& json, std::string_view name, std::uint32_t limit,
                  const std::optional<model::WindowState>& state) {
  json.key(name).begin_object().key("limit");
  if (limit == 0)
    json.null();
  else
    json.number(limit);
  if (state && limit != 0) {
    json.key("remaining").number(state->remaining);
    json.key("reset").text(model::format_instant(state->reset));
  }
  json.end_object();
}

void write_key_head(JsonWriter& json, const model::ApiKey& key) {
  json.key("id").text(key.id).key("name").text(key.name).key("plan").text(key.plan);
  json.key("created").text(model::format_instant(key.created));
}

void write_key(JsonWriter& json, const ports::AccountKey& key) {
  json.begin_object();
  write_key_head(json, key.key);
  json.key("active").boolean(!key.key.suspended && !key.key.revoked);
  json.key("last_used");
  if (key.last_used)
    json.text(model::format_day(*key.last_used));
  else
    json.null();
  json.key("requests").begin_array();
  for (const ports::DayRequests& day : key.days)
    json.begin_object().key("day").text(model::format_day(day.day)).key("requests").number(day.requests).end_object();
  json.end_array().key("limits").begin_object();
  write_window(json, "minute", key.plan.limits.per_minute, key.minute);
  write_window(json, "day", key.plan.limits.per_day, key.day);
  json.end_object().end_object();
}

/// A key with its text, which no other reply contains.
Reply make_key_reply(const ports::IssuedKey& issued, HttpStatus status) {
  const auto write = [&issued](JsonWriter& json) {
    json.begin_object();
    write_key_head(json, issued.key);
    json.key("key").text(issued.text).end_object();
  };
  return make_data_reply(write, status);
}

Result<std::string> read_key_id(const EndpointContext& context) {
  Parameters parameters("account key", {});
  std::string id = parameters.read_path_segment("key", context.segment);
  if (parameters.error()) return *parameters.error();
  return id;
}

}  // namespace

Result<Reply> post_account(const EndpointContext& context) { return request_link(context, &ports::Accounts::sign_up); }

Result<Reply> post_session(const EndpointContext& context) { return request_link(context, &ports::Accounts::sign_in); }

Result<Reply> post_confirmation(const EndpointContext& context) {
  const auto accounts = KBASE_TRY(find_accounts(context));
  const auto token = read_body(context, "token");
  if (const auto* const problem = std::get_if<Problem>(&token)) return make_reply(*problem, context.now);
  auto session = accounts->confirm(context.call, std::get<std::string>(token));
  if (!session && session.error().code == ErrorCode::NotFound)
    return invalid_argument("token", std::move(session).error().message);
  if (!session) return std::move(session).error();
  Reply reply = make_data_reply([](JsonWriter& json) { json.begin_object().end_object(); });
  add_field(reply.fields, "Set-Cookie", session_cookie(context, session->text, ports::kSessionLifetime));
  return reply;
}

Result<Reply> delete_session(const EndpointContext& context) {
  Parameters parameters("sessions", context.query);
  const bool is_everywhere = parameters.read_boolean("everywhere", false);
  if (parameters.error()) return *parameters.error();
  return with_session(context, [&](ports::Accounts& accounts, std::string_view session) -> Result<Reply> {
    KBASE_TRY(is_everywhere ? accounts.end_sessions(context.call, session)
                            : accounts.end_session(context.call, session));
    Reply reply = make_empty_reply();
    add_field(reply.fields, "Set-Cookie", session_cookie(context, "", std::chrono::seconds(0)));
    return reply;
  });
}

Result<Reply> get_account(const EndpointContext& context) {
  return with_session(context, [&](ports::Accounts& accounts, std::string_view session) -> Result<Reply> {
    const auto report = KBASE_TRY(accounts.report(context.call, session));
    Reply reply = make_data_reply([&report](JsonWriter& json) {
      const model::Account& account = report.account;
      json.begin_object().key("id").text(account.id).key("email").text(account.email);
      json.key("state").text(model::name_of(account.state)).key("plan").text(account.plan);
      json.key("created").text(model::format_instant(account.created)).key("keys").begin_array();
      for (const ports::AccountKey& key : report.keys) write_key(json, key);
      json.end_array().end_object();
    });
    // The session lasts longer now, and so must the cookie.
    add_field(reply.fields, "Set-Cookie", session_cookie(context, session, ports::kSessionLifetime));
    return reply;
  });
}

Result<Reply> delete_account(const EndpointContext& context) {
  return with_session(context, [&](ports::Accounts& accounts, std::string_view session) -> Result<Reply> {
    KBASE_TRY(accounts.remove_account(context.call, session));
    Reply reply = make_empty_reply();
    add_field(reply.fields, "Set-Cookie", session_cookie(context, "", std::chrono::seconds(0)));
    return reply;
  });
}

Result<Reply> post_account_key(const EndpointContext& context) {
  return with_session(context, [&](ports::Accounts& accounts, std::string_view session) -> Result<Reply> {
    const auto name = read_body(context, "name");
    if (const auto* const problem = std::get_if<Problem>(&name)) return make_reply(*problem, context.now);
    const auto issued = KBASE_TRY(accounts.create_key(context.call, session, std::get<std::string>(name)));
    return make_key_reply(issued, HttpStatus::Created);
  });
}

Result<Reply> post_key_rotation(const EndpointContext& context) {
  return with_session(context, [&](ports::Accounts& accounts, std::string_view session) -> Result<Reply> {
    const auto id = KBASE_TRY(read_key_id(context));
    const auto issued = KBASE_TRY(accounts.rotate_key(context.call, session, id));
    return make_key_reply(issued, HttpStatus::Ok);
  });
}

Result<Reply> delete_account_key(const EndpointContext& context) {
  return with_session(context, [&](ports::Accounts& accounts, std::string_view session) -> Result<Reply> {
    const auto id = KBASE_TRY(read_key_id(context));
    KBASE_TRY(accounts.remove_key(context.call, session, id));
    return make_empty_reply();
  });
}

}  // namespace kbase::http
