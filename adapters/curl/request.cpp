// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/request.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace kbase::curl {
namespace {

constexpr std::array<std::string_view, 6> kMethods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};

/// Connection-level fields, which only the client may set.
constexpr std::array<std::string_view, 13> kOfTheConnection = {
    "accept-encoding", "connection",          "content-length",   "expect", "host",    "http2-settings",
    "keep-alive",      "proxy-authorization", "proxy-connection", "te",     "trailer", "transfer-encoding",
    "upgrade"};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether `text` is a token (RFC 9110, section 5.6.2).
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  const auto fits = [&](char c) { return is_letter_or_digit(c) || kMarks.find(c) != std::string_view::npos; };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\t') || byte == 0x7F;
  });
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

model::Error wrong_fields(std::string reason) {
  return model::invalid_argument("fields", std::move(reason));
}

/// Returns "Name: value". libcurl interprets "Name:" as "omit this field" and "Name;" as an empty value.
model::Result<std::string> line_of(const ports::HttpField& field) {
  const std::string name(field.name);
  if (!is_token(name)) return wrong_fields("A field's name is no token.");
  if (!is_field_value(field.value)) return wrong_fields("The value of the field " + name + " has control characters.");
  for (const std::string_view reserved : kOfTheConnection)
    if (equals_ignoring_case(name, reserved)) return wrong_fields("The field " + name + " is set by the server.");
  return field.value.empty() ? name + ";" : name + ": " + std::string(field.value);
}

model::Result<std::vector<std::string>> lines_of(std::span<const ports::HttpField> fields) {
  // Do not wait for 100 (Continue), and do not add a Content-Type to a body without one.
  std::vector<std::string> lines{"Accept-Encoding: gzip", "Expect:"};
  bool has_type = false;
  for (const ports::HttpField& field : fields) {
    auto line = line_of(field);
    if (!line) return line.error();
    has_type = has_type || equals_ignoring_case(field.name, "content-type");
    lines.push_back(std::move(*line));
  }
  if (!has_type) lines.emplace_back("Content-Type:");
  return lines;
}

}  // namespace

model::Result<Request> checked(const ports::HttpRequest& request, std::span<const Origin> allowed,
                               const ClientOptions& options) {
  if (std::find(kMethods.begin(), kMethods.end(), request.method) == kMethods.end())
    return model::invalid_argument("method", "The method must be GET, HEAD, POST, PUT, PATCH or DELETE.");
  auto url = Url::parse(request.url);
  if (!url) return url.error();
  if (std::find(allowed.begin(), allowed.end(), url->origin()) == allowed.end())
    return model::invalid_argument(
        "url", "The URL leads to " + url->origin().text() + ", which is not where the service was configured to be.");
  auto lines = lines_of(request.fields);
  if (!lines) return lines.error();

  const std::uint64_t wanted = request.max_body_bytes == 0 ? options.max_body_bytes : request.max_body_bytes;
  Request made{std::string(request.method), std::move(*url),       std::move(*lines),
               std::string(request.body),   request.max_redirects, std::min(wanted, options.max_body_bytes),
               request.max_attempts};
  if (made.is_repeatable() && !made.body.empty())
    return model::invalid_argument("body", "A " + made.method + " request has no body.");
  return made;
}

}  // namespace kbase::curl
