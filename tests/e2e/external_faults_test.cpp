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

struct Answered {
  long status;
  const char* code;
};

constexpr Answered kFailed{502, "UPSTREAM_ERROR"};
constexpr Answered kAway{503, "SERVICE_UNAVAILABLE"};
constexpr Answered kLate{504, "UPSTREAM_TIMEOUT"};

/// Server that uses one address for both upstream services.
class Asking {
 public:
  explicit Asking(const std::string& url, std::chrono::seconds timeout, std::vector<std::string> more = {})
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
void expect_error_event(const Response& response, const Answered& wanted) {
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.field("content-type"), "text/event-stream");
  EXPECT_EQ(response.body.find("event: delta\ndata: {\"text\":\"Hello\"}\n\n"), 0U) << response.body;
  const std::size_t last = response.body.find("event: error\ndata: ");
  ASSERT_NE(last, std::string::npos) << response.body;
  const json data =
      json::parse(response.body.substr(last + std::string("event: error\ndata: ").size()), nullptr, false);
  ASSERT_TRUE(data.is_object()) << response.body;
  EXPECT_EQ(data["error"]["code"], wanted.code);
  EXPECT_EQ(response.body.find("event: done"), std::string::npos) << response.body;
}

enum class Told { Before, Within };  ///< whether the fault occurs before or after a stream's first text

/// Requests a user, a completion and a stream, and expects the error `wanted` for each.
void expect_of_all(Asking& asking, const Answered& wanted, Told told = Told::Before) {
  for (const auto& answer : {asking.user(), asking.completion(false)}) {
    expect_error(answer, wanted.status, wanted.code);
    EXPECT_EQ(answer.has("retry-after"), wanted.status == 503);
  }
  if (told == Told::Within) return expect_error_event(asking.completion(true), wanted);
  expect_error(asking.completion(true), wanted.status, wanted.code);
}

struct Case {
  const char* name;
  Fault fault;
  Answered answered;
  Told told = Told::Before;
};

void PrintTo(const Case& each, std::ostream* out) {
  *out << each.name;
}

class ExternalFaults : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Each, ExternalFaults,
    testing::Values(Case{"Frozen", Fault::Frozen, kLate}, Case{"Stall", Fault::Stall, kLate, Told::Within},
                    Case{"Truncation", Fault::Truncation, kFailed, Told::Within},
                    Case{"ShortLength", Fault::ShortLength, kFailed, Told::Within},
                    Case{"NoJson", Fault::NoJson, kFailed, Told::Within},
                    Case{"EndlessBody", Fault::EndlessBody, kFailed, Told::Within},
                    Case{"GzipBomb", Fault::GzipBomb, kFailed, Told::Within}, Case{"Garbage", Fault::Garbage, kFailed},
                    Case{"HeaderFlood", Fault::HeaderFlood, kFailed},
                    Case{"RedirectAway", Fault::RedirectAway, kFailed}, Case{"Reset", Fault::Reset, kAway},
                    Case{"InternalError", Fault::InternalError, kFailed}, Case{"Busy", Fault::Busy, kAway}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_P(ExternalFaults, HaveTheirStatusInTheirTimeAndLeaveNothingBehind) {
  FaultyUpstream upstream(GetParam().fault);
  Asking asking(upstream.url(), GetParam().answered.status == kLate.status ? kTimeout : kAmpleTimeout);
  expect_of_all(asking, GetParam().answered, GetParam().told);
  EXPECT_EQ(upstream.requests("/v1/chat/completions"), 2U) << "a prompt is sent once";
  EXPECT_LE(upstream.requests("/api/v1/users/"), 4U) << "what can be repeated, once more";
  asking.expect_idle();
  upstream.wait_until_idle();
}

TEST(ExternalFault, IsARefusedConnection) {
  Asking asking("http://127.0.0.1:" + std::to_string(free_port()), kAmpleTimeout);
  expect_of_all(asking, kAway);
}

TEST(ExternalFault, IsANameThatNobodyHas) {
  // The maximum length of a label is 63 characters (RFC 1035, section 2.3.4).
  Asking asking("http://" + std::string(64, 'n') + ".invalid", kAmpleTimeout);
  expect_of_all(asking, kAway);
}

TEST(ExternalFault, IsACertificateThatNobodyTrusts) {
  const TlsIdentity unknown("localhost");
  FaultyUpstream upstream(Fault::InternalError, unknown);
  Asking asking(upstream.url(), kAmpleTimeout);
  expect_of_all(asking, kFailed);
  EXPECT_EQ(upstream.requests("/"), 0U) << "nothing is sent, and no key with it";
}

TEST(ExternalFault, IsNoCertificateOfAnAuthorityThatTheConfigurationNames) {
  const TlsIdentity own("localhost");
  FaultyUpstream upstream(Fault::InternalError, own);
  const TemporaryFolder folder;
  Asking asking(upstream.url(), kAmpleTimeout, {"upstream.ca_file=" + own.certificate_in(folder.path())});
  expect_of_all(asking, kFailed);
  EXPECT_EQ(upstream.requests("/v1/chat/completions"), 2U) << "they came, over TLS, to the fault itself";
}

TEST(ExternalFault, IsACertificateOfAnotherName) {
  const TlsIdentity other("other.example");
  FaultyUpstream upstream(Fault::InternalError, other);
  const TemporaryFolder folder;
  Asking asking(upstream.url(), kAmpleTimeout, {"upstream.ca_file=" + other.certificate_in(folder.path())});
  expect_of_all(asking, kFailed);
  EXPECT_EQ(upstream.requests("/"), 0U);
}

}  // namespace
}  // namespace kbase::tests
