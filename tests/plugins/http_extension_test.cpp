// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/plugins/http_extension_client.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using sdk::text_of;
using sdk::view_of;

/// Records the requests to the client and scripts the replies of its exchanges.
struct Script {
  ports::Call* call = nullptr;
  std::string method, url, field, body;
  std::uint32_t max_redirects = 0;
  std::uint64_t max_body_bytes = 0;
  std::uint32_t max_attempts = 9;
  std::optional<Error> refusal, failure;
  int exchanges = 0;  // live exchanges
};

class ScriptedExchange final : public ports::HttpExchange {
 public:
  explicit ScriptedExchange(Script& script) : script_(script) { ++script_.exchanges; }
  ~ScriptedExchange() override { --script_.exchanges; }

  Result<ports::HttpHead> head() override {
    if (script_.failure) return *script_.failure;
    return ports::HttpHead{200, {&field_, 1}, 2};
  }
  Result<std::size_t> read(std::span<char> buffer) override {
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

  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call, const ports::HttpRequest& request) override {
    script_.call = &call;
    script_.method = request.method;
    script_.url = request.url;
    script_.body = request.body;
    script_.max_redirects = request.max_redirects;
    script_.max_body_bytes = request.max_body_bytes;
    script_.max_attempts = request.max_attempts;
    for (const ports::HttpField& field : request.fields)
      script_.field.append(field.name).append("=").append(field.value);
    if (script_.refusal) return *script_.refusal;
    return std::unique_ptr<ports::HttpExchange>(std::make_unique<ScriptedExchange>(script_));
  }

 private:
  Script& script_;
};

class HttpExtension : public testing::Test {
 protected:
  kb_status open(ports::Call& call, kb_http_exchange** exchange) {
    kb_call made = plugin_.call(call);
    const kb_http_request request{sizeof request, 0, view_of("GET"), view_of("http://a/"), nullptr, 0, {}, 0, 0, 0, 0};
    return plugin_.table->open(&plugin_.host, &made, &request, exchange);
  }

  HostFixture fixture_;
  Script script_;
  ScriptedClient client_{script_};
  HttpExtensionClient plugin_{client_, fixture_.clock, fixture_.log};
  ports::Call call_;
};

TEST_F(HttpExtension, IsReturnedOnlyForItsId) {
  ASSERT_NE(plugin_.table, nullptr);
  EXPECT_EQ(plugin_.table->struct_size, sizeof(kb_http_client_v1));
  for (const char* id : {"kbase.http_client/2", "kbase.http_client", "", static_cast<const char*>(nullptr)})
    EXPECT_EQ(plugin_.host.get_extension(&plugin_.host, id), nullptr);
}

TEST_F(HttpExtension, IsMissingIfTheHostHasNoClient) {
  const kb_host* const host = fixture_.host.table();
  EXPECT_EQ(host->get_extension(host, KB_EXTENSION_HTTP_CLIENT), nullptr);
  EXPECT_EQ(host->get_extension(nullptr, KB_EXTENSION_HTTP_CLIENT), nullptr);
  kb_call call = plugin_.call(call_);
  kb_http_exchange* exchange = nullptr;
  EXPECT_EQ(plugin_.table->open(host, &call, nullptr, &exchange), KB_INVALID_ARGUMENT)
      << "from the table of another plugin";
}

TEST_F(HttpExtension, PassesTheRequestAndTheResponse) {
  const kb_http_field field{view_of("accept"), view_of("text/plain")};
  const kb_http_request request{
      sizeof request, 3, view_of("POST"), view_of("http://a/b"), &field, 1, view_of("hello"), 77, 5'000'000'000, 2, 0};
  kb_call call = plugin_.call(call_);
  kb_http_exchange* exchange = nullptr;
  ASSERT_EQ(plugin_.table->open(&plugin_.host, &call, &request, &exchange), KB_OK);
  EXPECT_EQ(script_.method, "POST");
  EXPECT_EQ(script_.url, "http://a/b");
  EXPECT_EQ(script_.field, "accept=text/plain");
  EXPECT_EQ(script_.body, "hello");
  EXPECT_EQ(script_.max_redirects, 3U);
  EXPECT_EQ(script_.max_body_bytes, 77U);
  EXPECT_EQ(script_.max_attempts, 2U);
  EXPECT_EQ(script_.call->deadline.time_since_epoch(), std::chrono::seconds(5));

  const kb_http_head* head = nullptr;
  ASSERT_EQ(plugin_.table->head(exchange, &head), KB_OK);
  ASSERT_EQ(plugin_.table->head(exchange, &head), KB_OK);
  EXPECT_EQ(head->status, 200U);
  EXPECT_EQ(head->attempts, 2U);
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

TEST_F(HttpExtension, ChecksTheCallForCancellationEvenThroughACopy) {
  std::atomic<bool> is_cancelled{false};
  call_.cancel = &is_cancelled;
  kb_http_exchange* exchange = nullptr;
  ASSERT_EQ(open(call_, &exchange), KB_OK);  // the kb_call no longer exists after this
  EXPECT_FALSE(script_.call->cancelled());
  is_cancelled = true;
  EXPECT_TRUE(script_.call->cancelled());
}

TEST_F(HttpExtension, ExplainsEveryFailure) {
  script_.refusal = {ErrorCode::Unavailable, "Too many.", "detail", {}, 1500ms};
  kb_http_exchange* exchange = nullptr;
  EXPECT_EQ(open(call_, &exchange), KB_UNAVAILABLE);
  EXPECT_EQ(plugin_.host.explained.value().message, "Too many.");
  EXPECT_EQ(plugin_.host.explained.value().retry_after, 1500ms);

  script_.refusal.reset();
  ASSERT_EQ(open(call_, &exchange), KB_OK);
  script_.failure = {ErrorCode::Deadline, "Too late."};
  const kb_http_head* head = nullptr;
  EXPECT_EQ(plugin_.table->head(exchange, &head), KB_DEADLINE);
  EXPECT_EQ(plugin_.host.explained.value().message, "Too late.");
  script_.failure->code = ErrorCode::Cancelled;
  std::array<char, 3> buffer{};
  std::size_t size = 0;
  EXPECT_EQ(plugin_.table->read(exchange, buffer.data(), buffer.size(), &size), KB_CANCELLED);
}

TEST_F(HttpExtension, ReturnsTheLastFailureOfTheCallingThread) {
  script_.refusal = {ErrorCode::Unavailable, "Too many.", "detail", {}, 1500ms};
  kb_http_exchange* exchange = nullptr;
  EXPECT_EQ(open(call_, &exchange), KB_UNAVAILABLE);
  const auto failure = [&] {
    auto why = sized<kb_explanation>();
    plugin_.table->failure(&why);
    return sdk::error_of(KB_INTERNAL, why);
  };
  EXPECT_EQ(failure().message, "Too many.");
  EXPECT_EQ(failure().detail, "detail");
  EXPECT_EQ(failure().retry_after, 1500ms);
  std::thread([&] { EXPECT_EQ(failure().message, ""); }).join();

  EXPECT_EQ(plugin_.table->read(nullptr, nullptr, 0, nullptr), KB_INVALID_ARGUMENT);
  EXPECT_EQ(failure().message, "") << "not the address of an earlier failure";
  plugin_.table->failure(nullptr);
}

TEST_F(HttpExtension, ClosesOnlyExchangesThatACallLeftOpen) {
  kb_http_exchange* exchange = nullptr;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(open(call_, &exchange), KB_OK);
  ports::Call other;
  kb_http_exchange* other_exchange = nullptr;
  ASSERT_EQ(open(other, &other_exchange), KB_OK);
  plugin_.host_table.close_exchanges_of(&call_);
  EXPECT_EQ(script_.exchanges, 1);
  plugin_.host_table.close_exchanges_of(&call_);
  EXPECT_EQ(script_.exchanges, 1);
  plugin_.table->close(other_exchange);
  EXPECT_EQ(script_.exchanges, 0);
}

TEST_F(HttpExtension, LogsOnceThatAnExchangeWasLeftOpen) {
  kb_http_exchange* exchange = nullptr;
  ASSERT_EQ(open(call_, &exchange), KB_OK);
  plugin_.table->close(exchange);
  plugin_.host_table.close_exchanges_of(&call_);
  EXPECT_TRUE(fixture_.log.lines.empty());
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(open(call_, &exchange), KB_OK);
    plugin_.host_table.close_exchanges_of(&call_);
  }
  ASSERT_EQ(fixture_.log.lines.size(), 1u);
  EXPECT_EQ(fixture_.log.lines[0].event, "plugin.left_open");
  EXPECT_EQ(fixture_.log.lines[0].plugin, "org.example.fake");
}

TEST_F(HttpExtension, ClosesOpenExchangesWhenTheCallReturns) {
  const plugin_host::HostTable host("org.example.fake", "fake", {fixture_.clock, fixture_.log, nullptr, &client_});
  FakeCache fake;
  const auto cache = plugin_host::open_port<ports::Cache>(fake.table, host, "{}").value();
  fake.get = [&](kb_call* call, kb_view, kb_value_sink, void*) {
    const kb_http_request request{sizeof request, 0, view_of("GET"), view_of("http://a/"), nullptr, 0, {}, 0, 0, 0, 0};
    kb_http_exchange* exchange = nullptr;
    EXPECT_EQ(plugin_.table->open(call->host, call, &request, &exchange), KB_OK);
    EXPECT_EQ(script_.exchanges, 1);
    return KB_NOT_FOUND;
  };
  EXPECT_FALSE(cache->get(call_, "key", [](std::string_view) { return Visit::Continue; }).value());
  EXPECT_EQ(script_.exchanges, 0);
}

TEST_F(HttpExtension, ClosesAllExchangesWithTheHost) {
  {
    const HttpExtensionClient plugin(client_, fixture_.clock, fixture_.log);
    kb_call call = plugin.call(call_);
    const kb_http_request request{sizeof request, 0, view_of("GET"), view_of("http://a/"), nullptr, 0, {}, 0, 0, 0, 0};
    kb_http_exchange* exchange = nullptr;
    ASSERT_EQ(plugin.table->open(&plugin.host, &call, &request, &exchange), KB_OK);
    EXPECT_EQ(script_.exchanges, 1);
  }
  EXPECT_EQ(script_.exchanges, 0);
}

TEST_F(HttpExtension, UsesTheDeadlineOfTheCallIfTheRequestHasALaterOneOrNone) {
  kb_call call = plugin_.call(call_);
  call.deadline_ns = 5'000'000'000;
  kb_http_request request{sizeof request, 0, view_of("GET"), view_of("http://a/"), nullptr, 0, {}, 0, 0, 0, 0};
  for (const std::uint64_t deadline : {std::uint64_t{0}, std::uint64_t{6'000'000'000}, std::uint64_t{UINT64_MAX}}) {
    request.deadline_ns = deadline;
    kb_http_exchange* exchange = nullptr;
    ASSERT_EQ(plugin_.table->open(&plugin_.host, &call, &request, &exchange), KB_OK);
    EXPECT_EQ(script_.call->deadline.time_since_epoch(), std::chrono::seconds(5));
  }
}

TEST_F(HttpExtension, RejectsInvalidRequests) {
  kb_call call = plugin_.call(call_);
  const auto open = [&](auto change) {
    kb_http_request request{sizeof request, 0, view_of("GET"), view_of("http://a/"), nullptr, 0, {}, 0, 0, 0, 0};
    change(request);
    kb_http_exchange* exchange = nullptr;
    return plugin_.table->open(&plugin_.host, &call, &request, &exchange);
  };
  const kb_http_field empty_field{{nullptr, 5}, {}};
  EXPECT_EQ(open([](kb_http_request& request) { request.struct_size = 8; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([](kb_http_request& request) { request.url = {nullptr, 5}; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([](kb_http_request& request) { request.method.size = SIZE_MAX; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([](kb_http_request& request) { request.body = {nullptr, 1}; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([](kb_http_request& request) { request.field_count = 1; }), KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([&](kb_http_request& request) { request.fields = &empty_field, request.field_count = 1000; }),
            KB_INVALID_ARGUMENT);
  EXPECT_EQ(open([&](kb_http_request& request) { request.fields = &empty_field, request.field_count = 1; }),
            KB_INVALID_ARGUMENT);
  EXPECT_EQ(plugin_.host.explained.value().parameter, "fields");
  kb_http_exchange* exchange = nullptr;
  EXPECT_EQ(plugin_.table->open(&plugin_.host, &call, nullptr, &exchange), KB_INVALID_ARGUMENT);
  EXPECT_EQ(plugin_.table->open(nullptr, &call, nullptr, &exchange), KB_INVALID_ARGUMENT);
  EXPECT_EQ(plugin_.table->read(nullptr, nullptr, 0, nullptr), KB_INVALID_ARGUMENT);
  plugin_.table->close(nullptr);
  EXPECT_EQ(script_.exchanges, 0);
}

}  // namespace
}  // namespace kbase::tests
