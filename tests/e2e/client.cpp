// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/client.hpp"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace kbase::tests {
namespace {

struct RequestContext {
  std::string& body;
  const std::function<void(std::string_view)>& on_piece;
};

std::size_t append_body(char* bytes, std::size_t size, std::size_t count, void* arrival) {
  const std::string_view piece(bytes, size * count);
  const RequestContext& to = *static_cast<RequestContext*>(arrival);
  to.body.append(piece);
  if (to.on_piece) to.on_piece(piece);
  return piece.size();
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

std::size_t append_field(char* bytes, std::size_t size, std::size_t count, void* fields) {
  const std::string_view line(bytes, size * count);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return line.size();
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
  static_cast<Fields*>(fields)->emplace_back(std::move(name), trimmed(line.substr(colon + 1)));
  return line.size();
}

using FieldList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

FieldList field_list(const std::vector<std::string>& fields) {
  curl_slist* list = nullptr;
  for (const std::string& field : fields) list = curl_slist_append(list, field.c_str());
  return {list, &curl_slist_free_all};
}

void take(CURL* curl, const TlsRoute& route, const FieldList& place) {
  curl_easy_setopt(curl, CURLOPT_CAINFO, route.certificate.c_str());
  curl_easy_setopt(curl, CURLOPT_RESOLVE, place.get());
  curl_easy_setopt(curl, CURLOPT_INTERFACE, route.from.c_str());
}

}  // namespace

struct Client::Handle {
  CURL* curl = curl_easy_init();
  ~Handle() { curl_easy_cleanup(curl); }
};

Client::Client(std::string base_url, std::string key)
    : base_url_(std::move(base_url)), key_(std::move(key)), handle_(std::make_unique<Handle>()) {}
Client::Client(std::string base_url, TlsRoute route)
    : base_url_(std::move(base_url)), route_(std::move(route)), handle_(std::make_unique<Handle>()) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;

Response Client::send(const Request& request) {
  CURL* curl = handle_->curl;
  Response response;
  RequestContext arrival{response.body, request.on_request};
  std::vector<std::string> fields = request.fields;
  if (!key_.empty()) fields.push_back("Authorization: Bearer " + key_);
  const FieldList list = field_list(fields);
  const FieldList place = field_list(route_ ? std::vector{route_->name_and_place} : std::vector<std::string>{});
  const std::string url = base_url_ + request.target;
  curl_easy_reset(curl);  // keeps the connection
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  if (route_) take(curl, *route_, place);
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &append_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &arrival);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &append_field);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response.fields);
  if (request.body) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body->size()));
    curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, request.body->c_str());
  }
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list.get());
  if (request.method == "HEAD") curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.accepts_gzip) curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
  if (!request.whole_target.empty()) curl_easy_setopt(curl, CURLOPT_REQUEST_TARGET, request.whole_target.c_str());
  if (const CURLcode code = curl_easy_perform(curl); code != CURLE_OK)
    throw std::runtime_error(request.method + " " + url + ": " + curl_easy_strerror(code));
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response.status);
  long version = CURL_HTTP_VERSION_NONE;
  curl_easy_getinfo(curl, CURLINFO_HTTP_VERSION, &version);
  response.over_http2 = version == CURL_HTTP_VERSION_2_0;
  return response;
}

std::string Response::field(std::string_view name) const {
  for (const auto& [known, value] : fields)
    if (known == name) return value;
  return {};
}

bool Response::has(std::string_view name) const {
  return std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
}

long long Response::number(std::string_view name) const {
  const std::string text = field(name);
  long long value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << name << " is \"" << text << '"';
  return value;
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos)
      result += c;
    else
      result.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return result;
}

}  // namespace kbase::tests
