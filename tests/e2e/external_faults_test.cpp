// SPDX-License-Identifier: Apache-2.0
// Responses of the external endpoints while the upstream service fails. Manual: docs/guide/external-services.md.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/faulty_upstream.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/e2e/metrics.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/free_port.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// Upstream timeout of these tests, and the extra time allowed for a busy machine.
constexpr auto kTimeout = 1s;
constexpr auto kSlack = 4s;
constexpr auto kAmpleTimeout = 10s;  // for faults that end the request before the timeout, on a busy machine too

struct ExpectedError {
  long status;
  const char* code;
};

constexpr ExpectedError kFailed{502, "UPSTREAM_ERROR"};
constexpr ExpectedError kAway{503, "SERVICE_UNAVAILABLE"};
constexpr ExpectedError kLate{504, "UPSTREAM_TIMEOUT"};

/// Server that uses one address for both upstream services.
class ExternalServer {
 public:
  explicit ExternalServer(const std::string& url, std::chrono::seconds timeout, std::vector<std::string> more = {})
      : timeout_(timeout) {
    const std::string seconds = std::to_string(timeout.count()) + "s";
    std::vector<std::string> sets = {"codehost.plugin=gitea",
                                     "codehost.config.base_url=" + url,
                                     "codehost.cold_per_minute_keyless=0",
                                     "codehost.timeout=" + seconds,
                                     "llm.plugin=openai",
                                     "llm.config.base_url=" + url + "/v1",
                                     "llm.config.default_model=small",
                                     "llm.timeout=" + seconds,
                                     "llm.idle_timeout=" + seconds,
                                     "admin.port=0"};
    sets.insert(sets.end(), more.begin(), more.end());
    std::vector<std::string> arguments;
    for (std::string& set : sets) {
      arguments.emplace_back("--set");
      arguments.push_back(std::move(set));
    }
    key_ = base_.create_key("developer").text;
    server_.reset(new ServerProcess(base_.serve(arguments)));
  }

  Response user() { return timed({.target = "/external/codehost/ada", .fields = {}, .body = {}, .whole_target = {}}); }
  Response completion(bool as_stream) {
    return timed({.method = "POST",
                  .target = "/external/llm",
                  .fields = {"Content-Type: application/json"},
                  .body = json{{"prompt", "Say hello."}, {"max_tokens", 9}, {"stream", as_stream}}.dump(),
                  .whole_target = {}});
  }

  /// Waits until no upstream request is open.
  void expect_idle() {
    Client admin(admin_url(base_));
    EXPECT_TRUE(eventually(10s, [&] {
      const std::string stats = admin.get("/metrics").body;
      return value_of(stats, "kbase_upstream_requests_open{service=\"codehost\"}") == 0 &&
             value_of(stats, "kbase_upstream_requests_open{service=\"llm\"}") == 0;
    }));
  }

 private:
  /// Sends the request and expects the response within the timeout, whatever the service does.
  Response timed(const Request& request) {
    Client web(server_->base_url(), key_);
    const auto began = std::chrono::steady_clock::now();
    const Response response = web.send(request);
    EXPECT_LT(std::chrono::steady_clock::now() - began, timeout_ + kSlack);
    return response;
  }

  const std::chrono::seconds timeout_;
  KnowledgeBase base_{Storage::Sqlite};
  std::string key_;
  std::unique_ptr<ServerProcess> server_;
};

/// Expects a stream that begins with text and ends with the error event of `wanted`.
void expect_error_event(const Response& response, const ExpectedError& expected) {
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.field("content-type"), "text/event-stream");
  EXPECT_EQ(response.body.find("event: delta\ndata: {\"text\":\"Hello\"}\n\n"), 0U) << response.body;
  const std::size_t last = response.body.find("event: error\ndata: ");
  ASSERT_NE(last, std::string::npos) << response.body;
  const json data =
      json::parse(response.body.substr(last + std::string("event: error\ndata: ").size()), nullptr, false);
  ASSERT_TRUE(data.is_object()) << response.body;
  EXPECT_EQ(data["error"]["code"], expected.code);
  EXPECT_EQ(response.body.find("event: done"), std::string::npos) << response.body;
}

enum class Position { BeforeText, AfterText };  ///< whether the fault occurs before or after a stream's first text

/// Requests a user, a completion and a stream, and expects the error `wanted` for each.
void expect_all_fail(ExternalServer& server, const ExpectedError& expected, Position position = Position::BeforeText) {
  for (const auto& answer : {server.user(), server.completion(false)}) {
    expect_error(answer, expected.status, expected.code);
    EXPECT_EQ(answer.has("retry-after"), expected.status == 503);
  }
  if (position == Position::AfterText) return expect_error_event(server.completion(true), expected);
  expect_error(server.completion(true), expected.status, expected.code);
}

struct Case {
  const char* name;
  Fault fault;
  ExpectedError expected;
  Position position = Position::BeforeText;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

class ExternalFaults : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Each, ExternalFaults,
    testing::Values(Case{"Frozen", Fault::Frozen, kLate}, Case{"Stall", Fault::Stall, kLate, Position::AfterText},
                    Case{"Truncation", Fault::Truncation, kFailed, Position::AfterText},
                    Case{"ShortLength", Fault::ShortLength, kFailed, Position::AfterText},
                    Case{"NoJson", Fault::NoJson, kFailed, Position::AfterText},
                    Case{"EndlessBody", Fault::EndlessBody, kFailed, Position::AfterText},
                    Case{"GzipBomb", Fault::GzipBomb, kFailed, Position::AfterText},
                    Case{"Garbage", Fault::Garbage, kFailed}, Case{"HeaderFlood", Fault::HeaderFlood, kFailed},
                    Case{"RedirectAway", Fault::RedirectAway, kFailed}, Case{"Reset", Fault::Reset, kAway},
                    Case{"InternalError", Fault::InternalError, kFailed}, Case{"Busy", Fault::Busy, kAway}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_P(ExternalFaults, ReturnTheirStatusInTimeAndLeaveNothingBehind) {
  FaultyUpstream upstream(GetParam().fault);
  ExternalServer server(upstream.url(), GetParam().expected.status == kLate.status ? kTimeout : kAmpleTimeout);
  expect_all_fail(server, GetParam().expected, GetParam().position);
  EXPECT_EQ(upstream.requests("/v1/chat/completions"), 2U) << "a prompt is sent once";
  EXPECT_LE(upstream.requests("/api/v1/users/"), 4U) << "a repeatable request is sent once more";
  server.expect_idle();
  upstream.wait_until_idle();
}

TEST(ExternalFault, CanBeARefusedConnection) {
  ExternalServer server("http://127.0.0.1:" + std::to_string(free_port()), kAmpleTimeout);
  expect_all_fail(server, kAway);
}

TEST(ExternalFault, CanBeAnUnknownHostName) {
  // The maximum length of a label is 63 characters (RFC 1035, section 2.3.4).
  ExternalServer server("http://" + std::string(64, 'n') + ".invalid", kAmpleTimeout);
  expect_all_fail(server, kAway);
}

TEST(ExternalFault, CanBeAnUntrustedCertificate) {
  const TlsIdentity unknown("localhost");
  FaultyUpstream upstream(Fault::InternalError, unknown);
  ExternalServer server(upstream.url(), kAmpleTimeout);
  expect_all_fail(server, kFailed);
  EXPECT_EQ(upstream.requests("/"), 0U) << "nothing is sent, so no key either";
}

TEST(ExternalFault, IsNotACertificateOfAConfiguredAuthority) {
  const TlsIdentity own("localhost");
  FaultyUpstream upstream(Fault::InternalError, own);
  const TemporaryFolder folder;
  ExternalServer server(upstream.url(), kAmpleTimeout, {"upstream.ca_file=" + own.certificate_in(folder.path())});
  expect_all_fail(server, kFailed);
  EXPECT_EQ(upstream.requests("/v1/chat/completions"), 2U) << "the requests reached the fault over TLS";
}

TEST(ExternalFault, CanBeACertificateForAnotherName) {
  const TlsIdentity other("other.example");
  FaultyUpstream upstream(Fault::InternalError, other);
  const TemporaryFolder folder;
  ExternalServer server(upstream.url(), kAmpleTimeout, {"upstream.ca_file=" + other.certificate_in(folder.path())});
  expect_all_fail(server, kFailed);
  EXPECT_EQ(upstream.requests("/"), 0U);
}

}  // namespace
}  // namespace kbase::tests
