// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/http_extension.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "plugins/sdk/translation.hpp"
#include "tests/adapters/curl_world.hpp"

namespace kbase::tests {
namespace {

using plugin_host::HttpExtension;
using sdk::text_of;
using sdk::view_of;

/// What a client was asked, and what its exchanges answer.
struct Script {
  ports::Call* call = nullptr;
  std::string method, url, field, body;
  std::uint32_t max_redirects = 0;
  std::uint64_t max_body_bytes = 0;
  std::optional<model::Error> refusal, failure;
  int exchanges = 0;  // that live
};

class ScriptedExchange final : public ports::HttpExchange {
 public:
  explicit ScriptedExchange(Script& script) : script_(script) { ++script_.exchanges; }
  ~ScriptedExchange() override { --script_.exchanges; }

  model::Result<ports::HttpHead> head() override {
    if (script_.failure) return *script_.failure;
    return ports::HttpHead{200, {&field_, 1}};
  }
  model::Result<std::size_t> read(std::span<char> buffer) override {
    if (script_.failure) return *script_.failure;
    const std::size_t size = std::min(buffer.size(), unread_.size());
    std::copy_n(unread_.begin(), size, buffer.begin());
    unread_.remove_prefix(size);
    return size;
  }

 private:
  Script& script_;
  const ports::HttpField field_{"etag", "\"1\""};
  std::string_view unread_ = "body";
};

class ScriptedClient final : public ports::HttpClient {
 public:
  explicit ScriptedClient(Script& script) : script_(script) {}

  model::Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call,
                                                           const ports::HttpRequest& request) override {
    script_.call = &call;
    script_.method = request.method;
    script_.url = request.url;
    script_.body = request.body;
    script_.max_redirects = request.max_redirects;
    script_.max_body_bytes = request.max_body_bytes;
    for (const ports::HttpField& field : request.fields)
      script_.field.append(field.name).append("=").append(field.value);
    if (script_.refusal) return *script_.refusal;
    return std::unique_ptr<ports::HttpExchange>(std::make_unique<ScriptedExchange>(script_));
  }

 private:
  Script& script_;
};

/// The plugin's side: a host that lends the extension, and calls of it.
class Borrower {
 public:
  explicit Borrower(ports::HttpClient& client) : extension(client) {
    host.struct_size = sizeof host;
    host.host_data = this;
    host.get_extension = [](const kb_host* self, const char* id) { return of(self->host_data).extension.get(id); };
    host.cancelled = [](const kb_call* call) { return of(call->host->host_data).is_cancelled ? 1 : 0; };
    host.explain = [](kb_call* call, const kb_explanation* why) {
      of(call->host->host_data).explanation = sdk::error_of(KB_INTERNAL, *why);
    };
    table = static_cast<const kb_http_client_v1*>(host.get_extension(&host, KB_EXTENSION_HTTP_CLIENT));
  }

  kb_call call(void* data) const { return {sizeof(kb_call), 0, UINT64_MAX, {}, &host, data}; }

  kb_status open(kb_call call, std::string_view url, kb_http_exchange** exchange) const {
    const kb_http_request request{sizeof request, 0, view_of("GET"), view_of(url), nullptr, 0, {}, 0};
    return table->open(&host, &call, &request, exchange);
  }

  HttpExtension extension;
  kb_host host{};
  const kb_http_client_v1* table = nullptr;
  bool is_cancelled = false;
  model::Error explanation;

 private:
  static Borrower& of(void* data) { return *static_cast<Borrower*>(data); }
};

class HttpExtensionTest : public testing::Test {
 protected:
  Script script_;
  ScriptedClient client_{script_};
  Borrower plugin_{client_};
  int frame_ = 0;
  int other_frame_ = 0;
};

TEST_F(HttpExtensionTest, IsLentUnderItsIdAlone) {
  ASSERT_NE(plugin_.table, nullptr);
  EXPECT_EQ(plugin_.table->struct_size, sizeof(kb_http_client_v1));
  EXPECT_EQ(plugin_.extension.get("kbase.http_client/2"), nullptr);
  EXPECT_EQ(plugin_.extension.get(""), nullptr);
  EXPECT_EQ(plugin_.extension.get(nullptr), nullptr);
}

TEST_F(HttpExtensionTest, HandsOnTheRequestAndTheAnswer) {
  const kb_http_field field{view_of("accept"), view_of("text/plain")};
  const kb_http_request request{sizeof request, 3, view_of("POST"),  view_of("http://a/b"),
                                &field,         1, view_of("hello"), 77};
  kb_call call = plugin_.call(&frame_);
  call.deadline_ns = 5'000'000'000;
  kb_http_exchange* exchange = nullptr;
  ASSERT_EQ(plugin_.table->open(&plugin_.host, &call, &request, &exchange), KB_OK);
  EXPECT_EQ(script_.method, "POST");
  EXPECT_EQ(script_.url, "http://a/b");
  EXPECT_EQ(script_.field, "accept=text/plain");
  EXPECT_EQ(script_.body, "hello");
  EXPECT_EQ(script_.max_redirects, 3U);
  EXPECT_EQ(script_.max_body_bytes, 77U);
  EXPECT_EQ(script_.call->deadline.time_since_epoch(), std::chrono::seconds(5));

  const kb_http_head* head = nullptr;
  ASSERT_EQ(plugin_.table->head(exchange, &head), KB_OK);
  ASSERT_EQ(plugin_.table->head(exchange, &head), KB_OK);
  EXPECT_EQ(head->status, 200U);
  ASSERT_EQ(head->field_count, 1U);
  EXPECT_EQ(text_of(head->fields[0].name), "etag");

  std::array<char, 3> buffer{};
  std::size_t size = 9;
  for (const std::string_view wanted : {"bod", "y", ""}) {
    ASSERT_EQ(plugin_.table->read(exchange, buffer.data(), buffer.size(), &size), KB_OK);
    EXPECT_EQ(std::string_view(buffer.data(), size), wanted);
  }
  plugin_.table->close(exchange);
  EXPECT_EQ(script_.exchanges, 0);
}

TEST_F(HttpExtensionTest, AsksTheCallWhetherItIsCancelledWhereverThePluginKeepsIt) {
  kb_http_exchange* exchange = nullptr;
  ASSERT_EQ(plugin_.open(plugin_.call(&frame_), "http://a/", &exchange), KB_OK);
  EXPECT_FALSE(script_.call->cancelled());
  plugin_.is_cancelled = true;
  EXPECT_TRUE(script_.call->cancelled());
}

TEST_F(HttpExtensionTest, ExplainsEveryFailure) {
  script_.refusal = {ErrorCode::Unavailable, "Too many.", "detail", {}, 1500ms};
  kb_http_exchange* exchange = nullptr;
  EXPECT_EQ(plugin_.open(plugin_.call(&frame_), "http://a/", &exchange), KB_UNAVAILABLE);
  EXPECT_EQ(plugin_.explanation.message, "Too many.");
  EXPECT_EQ(plugin_.explanation.retry_after, 1500ms);

  script_.refusal.reset();
  ASSERT_EQ(plugin_.open(plugin_.call(&frame_), "http://a/", &exchange), KB_OK);
  script_.failure = {ErrorCode::Deadline, "Too late.", {}, {}, {}};
  const kb_http_head* head = nullptr;
  EXPECT_EQ(plugin_.table->head(exchange, &head), KB_DEADLINE);
  EXPECT_EQ(plugin_.explanation.message, "Too late.");
  script_.failure->code = ErrorCode::Cancelled;
  std::array<char, 3> buffer{};
  std::size_t size = 0;
  EXPECT_EQ(plugin_.table->read(exchange, buffer.data(), buffer.size(), &size), KB_CANCELLED);
}

TEST_F(HttpExtensionTest, ClosesWhatACallLeftOpenAndNothingElse) {
  kb_http_exchange* exchange = nullptr;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(plugin_.open(plugin_.call(&frame_), "http://a/", &exchange), KB_OK);
  kb_http_exchange* other = nullptr;
  ASSERT_EQ(plugin_.open(plugin_.call(&other_frame_), "http://a/", &other), KB_OK);
  EXPECT_EQ(plugin_.extension.close_those_of(&frame_), 3U);
  EXPECT_EQ(script_.exchanges, 1);
  EXPECT_EQ(plugin_.extension.close_those_of(&frame_), 0U);
  plugin_.table->close(other);
  EXPECT_EQ(script_.exchanges, 0);
}

TEST(HttpExtension, ClosesEverythingWithItsInstance) {
  Script script;
  ScriptedClient client(script);
  {
    const Borrower plugin(client);
    int frame = 0;
    kb_http_exchange* exchange = nullptr;
    ASSERT_EQ(plugin.open(plugin.call(&frame), "http://a/", &exchange), KB_OK);
    EXPECT_EQ(script.exchanges, 1);
  }
  EXPECT_EQ(script.exchanges, 0);
}

TEST_F(HttpExtensionTest, RefusesWhatIsNoRequest) {
  kb_call call = plugin_.call(&frame_);
  const auto open = [&](auto change) {
    kb_http_request request{sizeof request, 0, view_of("GET"), view_of("http://a/"), nullptr, 0, {}, 0};
    change(request);
    kb_http_exchange* exchange = nullptr;
    return plugin_.table->open(&plugin_.host, &call, &request, &exchange);
  };
  const kb_http_field hollow{{nullptr, 5}, {}};
  EXPECT_EQ(open([](kb_http_request& request) { request.struct_size = 8; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([](kb_http_request& request) { request.url = {nullptr, 5}; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([](kb_http_request& request) { request.method.size = SIZE_MAX; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([](kb_http_request& request) { request.body = {nullptr, 1}; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([](kb_http_request& request) { request.field_count = 1; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([&](kb_http_request& request) { request.fields = &hollow, request.field_count = 1000; }),
            KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([&](kb_http_request& request) { request.fields = &hollow, request.field_count = 1; }),
            KB_INVALID_ARGUMENT);
  EXPECT_EQ(plugin_.explanation.parameter, "fields");
  kb_http_exchange* exchange = nullptr;
  EXPECT_EQ(plugin_.table->open(&plugin_.host, &call, nullptr, &exchange), KB_INVALID_ARGUMENT);
  EXPECT_EQ(plugin_.table->open(nullptr, &call, nullptr, &exchange), KB_INVALID_ARGUMENT);
  EXPECT_EQ(plugin_.table->read(nullptr, nullptr, 0, nullptr), KB_INVALID_ARGUMENT);
  plugin_.table->close(nullptr);
  EXPECT_EQ(script_.exchanges, 0);
}

TEST(HttpExtension, LendsARealClient) {
  CurlWorld world;
  ScriptedHttpServer server([](const HeardRequest& request, Peer& peer) { peer.answer("200 OK", request.target); });
  const auto client = world.client(server.url());
  const Borrower plugin(*client);
  int frame = 0;
  std::array<kb_http_exchange*, 3> exchanges{};
  for (std::size_t i = 0; i < exchanges.size(); ++i)
    ASSERT_EQ(plugin.open(plugin.call(&frame), server.url("/" + std::to_string(i)), &exchanges[i]), KB_OK);
  for (std::size_t i = 0; i < 2; ++i) {  // the third is forgotten
    std::array<char, 16> buffer{};
    std::size_t size = 0;
    ASSERT_EQ(plugin.table->read(exchanges[i], buffer.data(), buffer.size(), &size), KB_OK);
    EXPECT_EQ(std::string_view(buffer.data(), size), "/" + std::to_string(i));
    plugin.table->close(exchanges[i]);
  }
  kb_http_exchange* refused = nullptr;
  EXPECT_EQ(plugin.open(plugin.call(&frame), "http://other.example/", &refused), KB_INVALID_ARGUMENT);
  EXPECT_EQ(plugin.explanation.parameter, "url");
}

}  // namespace
}  // namespace kbase::tests
