// SPDX-License-Identifier: Apache-2.0
#include "tests/support/temporary_opensearch_index.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include "adapters/curl/curl_http_client.hpp"

namespace kbase::tests {
namespace {

std::string fresh_name() {
  static std::atomic<int> last{0};
  return "kbase-test-" + std::to_string(::getpid()) + "-" + std::to_string(++last);
}

}  // namespace

const char* missing_opensearch() {
  return std::getenv("KBASE_TEST_OPENSEARCH_URL") != nullptr ? nullptr
                                                             : "KBASE_TEST_OPENSEARCH_URL names no OpenSearch to test";
}

std::string TemporaryOpenSearchIndex::url() {
  const char* const url = std::getenv("KBASE_TEST_OPENSEARCH_URL");
  return url != nullptr ? url : "http://127.0.0.1:9";
}

TemporaryOpenSearchIndex::TemporaryOpenSearchIndex()
    : loop_(std::move(*curl::TransferLoop::start())), index_(fresh_name()) {
  curl::ClientOptions options;
  options.service = "search";
  options.allowed_urls = {url()};
  options.first_byte_timeout = std::chrono::minutes(5);  // a slow machine must not fail the test
  options.breaker.failures = 0;
  auto made = curl::CurlHttpClient::make(*loop_, {clock_, random_, log_, metrics_}, std::move(options));
  if (!made) throw std::runtime_error(made.error().message);
  http_ = *std::move(made);
}

TemporaryOpenSearchIndex::~TemporaryOpenSearchIndex() {
  const opensearch::Json found = ask("GET", "/_cat/indices/" + index_ + "-*?format=json&h=index");
  for (const opensearch::Json& each : found) ask("DELETE", "/" + each.at("index").get<std::string>());
}

opensearch::Options TemporaryOpenSearchIndex::options() const {
  opensearch::Options options;
  options.url = url();
  options.index = index_;
  options.replicas = 0;
  return options;
}

opensearch::Json TemporaryOpenSearchIndex::ask(std::string_view method, const std::string& path,
                                               const opensearch::Json& body) {
  const std::string whole_url = url() + path;
  const std::string text = body.is_null() ? std::string() : opensearch::serialize(body);
  const ports::HttpField fields[] = {{"Content-Type", "application/json"}};
  ports::HttpRequest request;
  request.method = method;
  request.url = whole_url;
  request.body = text;
  request.fields = fields;
  ports::Call call;
  const auto exchange = http_->open(call, request);
  if (!exchange) return {};
  const auto head = (*exchange)->head();
  if (!head || head->status >= 300) return {};
  std::string answer;
  std::array<char, 16384> buffer;
  while (true) {
    const auto got = (*exchange)->read(buffer);
    if (!got) return {};
    if (*got == 0) break;
    answer.append(buffer.data(), *got);
  }
  return opensearch::parse(answer).value_or(opensearch::Json());
}

}  // namespace kbase::tests
