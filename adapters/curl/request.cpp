// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/request.hpp"

#include <curl/curl.h>
#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "adapters/base/retry_after.hpp"
#include "adapters/curl/transfer.hpp"
#include "domain/base/result.hpp"
#include "domain/base/text.hpp"

namespace kbase::curl {
namespace {

constexpr std::size_t kMaxUrlBytes = 16U << 10U;

Error invalid_url(std::string reason) { return invalid_argument("url", std::move(reason)); }

bool is_unambiguous(char c) { return c > ' ' && c < '\x7f' && c != '\\'; }

/// Returns the part of the URL; empty: there is no such part.
std::string get_part(CURLU* handle, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(handle, part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, void (*)(void*)> owner(text, curl_free);
  return text;
}

Origin get_origin(CURLU* handle) {
  Origin origin{get_part(handle, CURLUPART_SCHEME), get_part(handle, CURLUPART_HOST),
                get_part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT)};
  origin.host = ascii::to_lower(origin.host);
  return origin;
}

constexpr std::array<std::string_view, 6> kMethods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};

/// Connection-level fields, which only the client may set.
constexpr std::array<std::string_view, 13> kConnectionFields = {
    "accept-encoding", "connection",          "content-length",   "expect", "host",    "http2-settings",
    "keep-alive",      "proxy-authorization", "proxy-connection", "te",     "trailer", "transfer-encoding",
    "upgrade"};

/// Whether `text` is a token (RFC 9110, section 5.6.2).
bool is_token(std::string_view text) {
  constexpr std::string_view kSymbols = "!#$%&'*+-.^_`|~";
  const auto fits = [&](char c) { return ascii::is_alphanumeric(c) || kSymbols.find(c) != std::string_view::npos; };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\t') || byte == 0x7F;
  });
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii::to_lower(x) == ascii::to_lower(y); });
}

Error invalid_fields(std::string reason) { return invalid_argument("fields", std::move(reason)); }

/// Returns "Name: value". libcurl interprets "Name:" as "omit this field" and "Name;" as an empty value.
Result<std::string> make_header_line(const ports::HttpField& field) {
  const std::string name(field.name);
  if (!is_token(name)) return invalid_fields("The name of a header field is not valid.");
  if (!is_field_value(field.value)) return invalid_fields("The header field " + name + " contains control characters.");
  for (const std::string_view reserved : kConnectionFields)
    if (equals_ignoring_case(name, reserved))
      return invalid_fields("The header field " + name + " must not be set. The HTTP client sets it.");
  return field.value.empty() ? name + ";" : name + ": " + std::string(field.value);
}

Result<std::vector<std::string>> make_header_lines(std::span<const ports::HttpField> fields) {
  // Do not wait for 100 (Continue), and do not add a Content-Type to a body without one.
  std::vector<std::string> lines{"Accept-Encoding: gzip", "Expect:"};
  bool has_type = false;
  for (const ports::HttpField& field : fields) {
    auto line = KBASE_TRY(make_header_line(field));
    has_type = has_type || equals_ignoring_case(field.name, "content-type");
    lines.push_back(std::move(line));
  }
  if (!has_type) lines.emplace_back("Content-Type:");
  return lines;
}

struct End {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};

constexpr std::string_view kExpiresPrefix = "Expire date:";

/// libcurl writes dates like OpenSSL, "Nov 23 21:30:45 2027 GMT", which curl_getdate parses.
std::optional<model::Instant> read_certificate_end(CURL* handle) {
  curl_certinfo* chain = nullptr;
  if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == nullptr || chain->num_of_certs == 0)
    return std::nullopt;
  for (const curl_slist* fact = chain->certinfo[0]; fact != nullptr; fact = fact->next) {
    const std::string_view text = fact->data;
    if (!text.starts_with(kExpiresPrefix)) continue;
    const time_t ends = curl_getdate(fact->data + kExpiresPrefix.size(), nullptr);
    if (ends >= 0) return model::Instant(std::chrono::seconds(ends));
  }
  return std::nullopt;
}

std::optional<model::Instant> read_date(CURL* handle) {
  curl_header* field = nullptr;
  if (curl_easy_header(handle, "date", 0, CURLH_HEADER, -1, &field) != CURLHE_OK) return std::nullopt;
  return http_fields::parse_http_date(field->value);
}

}  // namespace

Result<Url> Url::read(Handle handle, std::string_view text) {
  if (handle == nullptr) return Error{ErrorCode::NoMemory, "Not enough memory."};
  if (text.size() > kMaxUrlBytes) return invalid_url("The URL is too long.");
  if (!std::all_of(text.begin(), text.end(), is_unambiguous))
    return invalid_url(
        "The URL must be printable ASCII without spaces and backslashes. Write an international host name in its xn-- "
        "form.");

  const CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, std::string(text).c_str(), CURLU_DISALLOW_USER);
  if (code == CURLUE_USER_NOT_ALLOWED) return invalid_url("The URL must not hold a user name or password.");
  if (code != CURLUE_OK) return invalid_url(std::string("The URL is not valid: ") + curl_url_strerror(code) + ".");

  Origin origin = get_origin(handle.get());
  if (origin.scheme != "http" && origin.scheme != "https")
    return invalid_url("The URL must begin with http:// or https://.");
  if (origin.host.empty() || !std::all_of(origin.host.begin(), origin.host.end(), is_unambiguous))
    return invalid_url("The URL has no valid host.");
  if (!get_part(handle.get(), CURLUPART_ZONEID).empty())
    return invalid_url("The URL's host must not contain a zone id.");
  return Url(std::move(handle), std::move(origin));
}

Result<Url> Url::parse(std::string_view text) { return read(Handle(curl_url()), text); }

Result<Url> Url::resolve(std::string_view reference) const {
  return read(Handle(curl_url_dup(handle_.get())), reference);
}

Result<Request> validate_request(const ports::HttpRequest& request, std::span<const Origin> allowed,
                                 const ClientOptions& options) {
  if (std::find(kMethods.begin(), kMethods.end(), request.method) == kMethods.end())
    return invalid_argument("method", "The method must be GET, HEAD, POST, PUT, PATCH or DELETE.");
  auto url = KBASE_TRY(Url::parse(request.url));
  if (std::find(allowed.begin(), allowed.end(), url.origin()) == allowed.end())
    return invalid_argument("url", "The URL leads to " + url.origin().text() + ", which is not an allowed origin.");
  auto lines = KBASE_TRY(make_header_lines(request.fields));

  const std::uint64_t wanted = request.max_body_bytes == 0 ? options.max_body_bytes : request.max_body_bytes;
  Request result{std::string(request.method), std::move(url),        std::move(lines),
                 std::string(request.body),   request.max_redirects, std::min(wanted, options.max_body_bytes),
                 request.max_attempts};
  if (result.is_repeatable() && !result.body.empty())
    return invalid_argument("body", "A " + result.method + " request must not have a body.");
  return result;
}

Result<OriginInfo> probe_origin(const std::string& text, const ClientOptions& options) {
  const auto url = KBASE_TRY(Url::parse(text));
  const std::unique_ptr<CURL, End> handle(curl_easy_init());
  if (handle == nullptr) return to_error(CURLE_OUT_OF_MEMORY, {});
  std::array<char, CURL_ERROR_SIZE> error_text{};
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, error_text.data());
  curl_easy_setopt(handle.get(), CURLOPT_NOBODY, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_CERTINFO, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(options.first_byte_timeout.count()));
  curl_easy_setopt(handle.get(), CURLOPT_USERAGENT, options.user_agent.c_str());
  CURLcode done = set_connection_options(handle.get(), url, options);
  if (done == CURLE_OK) done = curl_easy_perform(handle.get());
  if (done != CURLE_OK) return to_error(done, error_text.data());
  return OriginInfo{url.origin().text(), read_date(handle.get()), read_certificate_end(handle.get())};
}

}  // namespace kbase::curl
