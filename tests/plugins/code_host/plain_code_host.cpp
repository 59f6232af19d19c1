// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/code_host/plain_code_host.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace kbase::tests {
namespace {

Error error(ErrorCode code, std::string message, std::chrono::milliseconds retry_after = {}) {
  return {code, std::move(message), {}, {}, retry_after};
}

std::string_view field_of(const ports::HttpHead& head, std::string_view name) {
  const auto found = std::find_if(head.fields.begin(), head.fields.end(),
                                  [name](const ports::HttpField& field) { return field.name == name; });
  return found != head.fields.end() ? found->value : std::string_view();
}

std::chrono::seconds retry_delay(const ports::HttpHead& head) {
  const std::string_view text = field_of(head, "retry-after");
  int seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(seconds);
}

Result<std::string> rest_of(ports::HttpExchange& exchange) {
  std::string body;
  std::array<char, 512> some{};
  for (;;) {
    const auto size = exchange.read(some);
    if (!size) return size.error();
    if (*size == 0) return body;
    body.append(some.data(), *size);
  }
}

}  // namespace

bool PlainCodeHost::is_username(std::string_view username) const noexcept {
  return !username.empty() && username.size() <= 39 &&
         std::all_of(username.begin(), username.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

Result<ports::LookUp> PlainCodeHost::look_up(ports::Call& call, std::string_view username, std::string_view validator,
                                             ports::UserVisitor& visitor) {
  const std::string name(username);
  auto page = get(call, "/users/" + name, validator);
  if (!page) return page.error();
  if (page->is_unchanged) return ports::LookUp{ports::LookUp::Outcome::Unchanged, {}};
  if (page->body != "user " + name) return error(ErrorCode::BadUpstream, "The service returned no user.");
  ports::UserProfile profile;
  profile.username = username;
  visitor.profile(profile);
  return ports::LookUp{ports::LookUp::Outcome::Updated, std::move(page->tag)};
}

Status PlainCodeHost::health(ports::Call& call) {
  const auto page = get(call, "/", {});
  return page ? Status() : page.error();
}

Result<PlainCodeHost::Page> PlainCodeHost::get(ports::Call& call, std::string_view path, std::string_view validator) {
  const std::string url = base_url_ + std::string(path);
  const ports::HttpField condition{"If-None-Match", validator};
  ports::HttpRequest request;
  request.url = url;
  if (!validator.empty()) request.fields = {&condition, 1};
  const auto exchange = http_.open(call, request);
  if (!exchange) return exchange.error();
  const auto head = (*exchange)->head();
  if (!head) return head.error();
  if (head->status == 304 && !validator.empty()) return Page{true, {}, {}};
  if (head->status == 404) return error(ErrorCode::NotFound, "There is no such user.");
  if (head->status == 429) return error(ErrorCode::Unavailable, "The service's limit is used up.", retry_delay(*head));
  if (head->status >= 500) return error(ErrorCode::Unavailable, "The service failed.");
  if (head->status != 200) return error(ErrorCode::BadUpstream, "The service did not answer.");
  std::string tag(field_of(*head, "etag"));
  auto body = rest_of(**exchange);
  if (!body) return body.error();
  return Page{false, std::move(tag), *std::move(body)};
}

}  // namespace kbase::tests
