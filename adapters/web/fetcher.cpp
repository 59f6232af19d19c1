// SPDX-License-Identifier: Apache-2.0
#include "adapters/web/fetcher.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace kbase::web {
namespace {

constexpr std::chrono::milliseconds kLongestPause{100};  // so that an interruption is noticed
constexpr std::uint32_t kNotModified = 304;

std::string field(const ports::HttpHead& head, std::string_view name) {
  for (const ports::HttpField& each : head.fields)
    if (each.name == name) return std::string(each.value);
  return {};
}

}  // namespace

void Fetcher::wait(const ports::Call& call) {
  while (last_ && !call.cancelled()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*last_ + interval_ - clock_.steady());
    if (left.count() <= 0) break;
    pause_(std::min(left, kLongestPause));
  }
  last_ = clock_.steady();
}

Result<Response> Fetcher::exchange(ports::Call& call, const std::string& url, const std::optional<Validator>& known) {
  wait(call);
  if (call.cancelled()) return Error{ErrorCode::Cancelled, "the import was interrupted"};
  std::vector<ports::HttpField> fields = {
      {"Accept", "text/html, application/xhtml+xml, application/xml;q=0.9, text/markdown;q=0.9, text/plain;q=0.8"}};
  if (known && !known->etag.empty()) fields.push_back({"If-None-Match", known->etag});
  if (known && !known->modified.empty()) fields.push_back({"If-Modified-Since", known->modified});
  ports::HttpRequest request;
  request.url = url;
  request.fields = fields;
  request.max_body_bytes = content::kMaxRecordBytes;
  const auto exchange = KBASE_TRY(client_.open(call, request));
  const ports::HttpHead head = KBASE_TRY(exchange->head());
  Response response;
  response.status = head.status;
  response.validator = {field(head, "etag"), field(head, "last-modified"), field(head, "content-type"),
                        field(head, "x-robots-tag")};
  response.location = field(head, "location");
  std::array<char, 16384> buffer{};
  for (;;) {
    const std::size_t size = KBASE_TRY(exchange->read(buffer));
    if (size == 0) return response;
    response.body.append(buffer.data(), size);
  }
}

Result<Response> Fetcher::get(ports::Call& call, const Address& address) {
  const std::string url = address.text();
  const auto known = cache_.find(url);
  auto response = exchange(call, url, known);
  if (response && response->status == kNotModified && known) {
    auto body = cache_.body(url);
    if (!body) {  // the cache is damaged
      response = exchange(call, url, std::nullopt);
    } else {
      response->status = 200;
      response->body = *std::move(body);
      response->validator = *known;
    }
  }
  if (response && response->status == 200) cache_.put(url, response->validator, response->body);
  return response;
}

}  // namespace kbase::web
