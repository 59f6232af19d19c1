// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/host_services.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>

#include "plugins/sdk/entry.hpp"
#include "tests/plugins/sdk/fake_host.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using sdk::text_of;
using sdk::view_of;

/// Host with a scripted HTTP extension that records requests. Only one may exist at a time.
class SdkHttpClient : public testing::Test {
 protected:
  SdkHttpClient() {
    current_ = this;
    host_.table.get_extension = [](const kb_host*, const char* id) -> const void* {
      return std::strcmp(id, KB_EXTENSION_HTTP_CLIENT) == 0 ? &kTable : nullptr;
    };
    host_.call.deadline_ns = 9'000;
  }

  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call) {
    ports::HttpRequest request;
    request.method = "POST";
    request.url = "http://a/";
    request.fields = {&field_, 1};
    request.body = "hello";
    request.max_redirects = 3;
    request.max_body_bytes = 77;
    request.max_attempts = 5;
    return client_.open(call, request);
  }

  FakeHost host_;
  sdk::HostHttpClient client_{host_.table, kTable};
  const ports::HttpField field_{"accept", "text/plain"};

  kb_status answer_ = KB_OK;
  std::string requested_;
  kb_call* call_ = nullptr;
  std::uint64_t deadline_ns_ = 0;
  int closed_ = 0;

 private:
  static kb_status open_entry(const kb_host*, kb_call* call, const kb_http_request* request,
                              kb_http_exchange** exchange) {
    current_->call_ = call;
    current_->deadline_ns_ = request->deadline_ns;
    current_->requested_.append(text_of(request->method)).append(" ").append(text_of(request->url)).append(" ");
    current_->requested_.append(text_of(request->fields[0].name)).append("=").append(text_of(request->fields[0].value));
    current_->requested_.append(" ").append(text_of(request->body));
    current_->requested_ +=
        " " + std::to_string(request->max_redirects) + " " + std::to_string(request->max_body_bytes);
    current_->requested_ += " " + std::to_string(request->max_attempts);
    *exchange = reinterpret_cast<kb_http_exchange*>(current_);
    return current_->answer_;
  }
  static kb_status head_entry(kb_http_exchange*, const kb_http_head** head) {
    static const kb_http_field kField{view_of("etag"), view_of("\"1\"")};
    static const kb_http_head kHead{sizeof kHead, 304, &kField, 1, 4, 0};
    *head = &kHead;
    return current_->answer_;
  }
  static kb_status read_entry(kb_http_exchange*, char* buffer, std::size_t, std::size_t* size) {
    buffer[0] = 'x';
    *size = 1;
    return current_->answer_;
  }
  static void close_entry(kb_http_exchange*) { ++current_->closed_; }
  static void failure_entry(kb_explanation* why) {
    why->message = view_of("Too many.");
    why->detail = view_of("every place is taken");
    why->retry_after_ms = 1500;
  }

  static inline SdkHttpClient* current_ = nullptr;
  static constexpr kb_http_client_v1 kTable = {
      sizeof(kb_http_client_v1), 0, open_entry, head_entry, read_entry, close_entry, failure_entry};
};

TEST_F(SdkHttpClient, PassesTheRequestAndTheCallOfTheHost) {
  ports::Call call = sdk::call_of(host_.call);
  const auto exchange = open(call);
  ASSERT_TRUE(succeeded(exchange));
  EXPECT_EQ(requested_, "POST http://a/ accept=text/plain hello 3 77 5");
  EXPECT_EQ(call_, &host_.call) << "not a copy of the call";
  EXPECT_EQ(deadline_ns_, 9'000u);

  const auto head = (*exchange)->head();
  EXPECT_EQ(head.value().status, 304u);
  EXPECT_EQ(head.value().attempts, 4u);
  EXPECT_EQ(head.value().fields[0].name, "etag");
  std::array<char, 8> buffer{};
  EXPECT_EQ((*exchange)->read(buffer).value(), 1u);
  EXPECT_EQ(buffer[0], 'x');
}

TEST_F(SdkHttpClient, PassesAnEarlierDeadline) {
  ports::Call call = sdk::call_of(host_.call);
  call.deadline -= std::chrono::nanoseconds(1'000);
  ASSERT_TRUE(succeeded(open(call)));
  EXPECT_EQ(deadline_ns_, 8'000u);
}

TEST_F(SdkHttpClient, RejectsACallThatTheHostDidNotMake) {
  ports::Call none;
  EXPECT_TRUE(failed(open(none), ErrorCode::Unsupported));
  const std::atomic<bool> flag{false};
  none.cancel = &flag;
  EXPECT_TRUE(failed(open(none), ErrorCode::Unsupported));
  EXPECT_EQ(requested_, "");
}

TEST_F(SdkHttpClient, ClosesEachExchangeOnce) {
  ports::Call call = sdk::call_of(host_.call);
  { ASSERT_TRUE(succeeded(open(call))); }
  EXPECT_EQ(closed_, 1);
  answer_ = KB_UNAVAILABLE;
  ASSERT_FALSE(open(call));
  EXPECT_EQ(closed_, 1) << "there was no such exchange";
}

TEST_F(SdkHttpClient, ReturnsTheReasonOfAFailure) {
  ports::Call call = sdk::call_of(host_.call);
  const auto exchange = open(call).value();
  answer_ = KB_UNAVAILABLE;
  std::array<char, 8> buffer{};
  for (const Error& error : {open(call).error(), exchange->head().error(), exchange->read(buffer).error()}) {
    EXPECT_EQ(error.code, ErrorCode::Unavailable);
    EXPECT_EQ(error.message, "Too many.");
    EXPECT_EQ(error.detail, "every place is taken");
    EXPECT_EQ(error.retry_after, std::chrono::milliseconds(1500));
  }
}

TEST_F(SdkHttpClient, IsAvailableInTheSetupIfTheHostProvidesHttp) {
  sdk::Setup setup(host_.table, sdk::Settings::parse("").value());
  EXPECT_NE(setup.http(), nullptr);
  host_.table.struct_size = offsetof(kb_host, get_extension);
  EXPECT_EQ(sdk::Setup(host_.table, sdk::Settings::parse("").value()).http(), nullptr) << "an older host";
  const FakeHost without;
  EXPECT_EQ(sdk::Setup(without.table, sdk::Settings::parse("").value()).http(), nullptr);
}

}  // namespace
}  // namespace kbase::tests
