// SPDX-License-Identifier: Apache-2.0
// Slow and broken connections between kbase and real upstream servers, produced with Toxiproxy.
#include <gmock/gmock.h>

#include <chrono>
#include <optional>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/external_base.hpp"
#include "tests/e2e/real_service.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// kbase with an upstream service behind a faulty connection. Its timeouts are short, so that missing data is
/// detected soon.
class FaultyConnectionTest : public testing::Test {
 protected:
  void SetUp() override {
    if (variable("KBASE_TEST_TOXIPROXY_URL").empty()) GTEST_SKIP() << "KBASE_TEST_TOXIPROXY_URL names no Toxiproxy";
    if (server_url_.empty()) GTEST_SKIP() << "no variable names the server behind the proxy";
    connection_.emplace(server_url_);
    base_.emplace(sets_of(connection_->url()));
    web_.emplace(base_->client());
  }

  explicit FaultyConnectionTest(const char* server_variable) : server_url_(variable(server_variable)) {}
  virtual ExternalBase::Sets sets_of(const std::string& url) const = 0;

  /// Sends the request and expects the complete response within `limit`.
  Response send_within(std::chrono::milliseconds limit, const Request& request) {
    const auto begin = std::chrono::steady_clock::now();
    Response response = web_->send(request);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, limit);
    return response;
  }

  const std::string server_url_;
  std::optional<FaultyConnection> connection_;
  std::optional<ExternalBase> base_;
  std::optional<Client> web_;
};

/// Extra time for a busy machine, in addition to the request's own timeout.
constexpr auto kSoonAfter = 5s;

// ---- llama.cpp

class ConnectionToModel : public FaultyConnectionTest {
 protected:
  ConnectionToModel() : FaultyConnectionTest("KBASE_TEST_LLM_URL") {}

  ExternalBase::Sets sets_of(const std::string& url) const override {
    return {"llm.plugin=openai",
            "llm.config.base_url=" + url + "/v1",
            "llm.config.api_key=" + variable("KBASE_TEST_LLM_KEY"),
            "llm.config.default_model=kbase-tiny",
            "llm.timeout=2s",
            "llm.idle_timeout=1s"};
  }

  /// Always produces the same text: at temperature 0 the model selects the likeliest token.
  static Request prompt(bool is_stream) { return prompt_of("Write about knowledge.", is_stream, 60, 0); }

  /// Requests a stream over a connection so slow that `act`, called at the first delta, runs in the middle of the
  /// stream. The slicer is needed because adding a toxic releases the data that the previous toxic holds.
  Response stream_interrupted_by(const std::function<void()>& act) {
    connection_->add("slicer", {{"average_size", 200}, {"size_variation", 50}, {"delay", 0}});
    connection_->add("bandwidth", {{"rate", 2}});
    Request request = prompt(true);
    bool is_done = false;
    request.on_request = [&](std::string_view piece) {
      if (is_done || piece.find("delta") == std::string_view::npos) return;
      is_done = true;
      act();
    };
    return send_within(2s + 1s + kSoonAfter, request);
  }

  /// Expects a stream that begins normally, contains text, and ends with the error `code`.
  static void expect_broken(const Response& response, const std::string& code) {
    EXPECT_EQ(response.status, 200);
    const std::vector<StreamEvent> events = events_of(response.body);
    ASSERT_GE(events.size(), 2U) << response.body;
    EXPECT_FALSE(text_of(events).empty());
    ASSERT_EQ(events.back().name, "error") << response.body;
    EXPECT_EQ(events.back().data["error"]["code"], code) << events.back().data;
  }

  void expect_works_again() { EXPECT_EQ(web_->send(prompt(false)).status, 200); }
};

TEST_F(ConnectionToModel, CanSplitAStreamAnywhere) {
  const std::string whole = text_of(events_of(web_->send(prompt(true)).body));
  ASSERT_FALSE(whole.empty());
  connection_->add("slicer", {{"average_size", 3}, {"size_variation", 2}, {"delay", 10}});
  const std::vector<StreamEvent> events = events_of(web_->send(prompt(true)).body);
  EXPECT_EQ(text_of(events), whole);
  EXPECT_EQ(events.back().name, "done");
}

TEST_F(ConnectionToModel, CanBeSlowAsLongAsDataArrives) {
  connection_->add("latency", {{"latency", 300}, {"jitter", 200}});
  connection_->add("bandwidth", {{"rate", 4}});
  const std::vector<StreamEvent> events = events_of(web_->send(prompt(true)).body);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().name, "done") << "it takes longer than llm.timeout, which applies to the first piece";
}

TEST_F(ConnectionToModel, CausesATimeoutIfItIsTooSlow) {
  connection_->add("latency", {{"latency", 10'000}});
  for (const bool is_stream : {false, true})
    expect_error(send_within(2s + kSoonAfter, prompt(is_stream)), 504, "UPSTREAM_TIMEOUT");
}

// Not tested for streams: llama.cpp's server closes the connection after a stream, and this toxic lets the close
// through.
TEST_F(ConnectionToModel, CausesATimeoutIfNothingPasses) {
  connection_->add("timeout", {{"timeout", 0}});
  expect_error(send_within(2s + kSoonAfter, prompt(false)), 504, "UPSTREAM_TIMEOUT");
}

TEST_F(ConnectionToModel, EndsAStreamWithATimeoutIfItStalls) {
  expect_broken(stream_interrupted_by([&] { connection_->add("timeout", {{"timeout", 0}}); }), "UPSTREAM_TIMEOUT");
}

TEST_F(ConnectionToModel, EndsAStreamWithAnErrorIfItIsReset) {
  expect_broken(stream_interrupted_by([&] { connection_->add("reset_peer", {{"timeout", 0}}); }), "UPSTREAM_ERROR");
}

TEST_F(ConnectionToModel, EndsAStreamWithAnErrorIfItCloses) {
  connection_->add("limit_data", {{"bytes", 2000}});
  expect_broken(send_within(2s + kSoonAfter, prompt(true)), "UPSTREAM_ERROR");
}

TEST_F(ConnectionToModel, CausesABadGatewayIfItClosesDuringAResponse) {
  connection_->add("limit_data", {{"bytes", 300}});
  expect_error(send_within(2s + kSoonAfter, prompt(false)), 502, "UPSTREAM_ERROR");
}

TEST_F(ConnectionToModel, CausesServiceUnavailableIfItIsResetAtOnce) {
  connection_->add("reset_peer", {{"timeout", 0}});
  for (const bool is_stream : {false, true})
    expect_error(send_within(2s + kSoonAfter, prompt(is_stream)), 503, "SERVICE_UNAVAILABLE");
}

TEST_F(ConnectionToModel, CausesServiceUnavailableWhileItIsDown) {
  connection_->go(false);
  for (const bool is_stream : {false, true}) {
    const Response response = send_within(2s + kSoonAfter, prompt(is_stream));
    expect_error(response, 503, "SERVICE_UNAVAILABLE");
    EXPECT_GE(response.number("retry-after"), 1);
  }
  connection_->go(true);
  expect_works_again();
}

TEST_F(ConnectionToModel, EndsAStreamWithAnErrorIfItGoesDown) {
  expect_broken(stream_interrupted_by([&] { connection_->go(false); }), "UPSTREAM_ERROR");
  connection_->go(true);
}

// ---- Gitea

class ConnectionToCodeHost : public FaultyConnectionTest {
 protected:
  ConnectionToCodeHost() : FaultyConnectionTest("KBASE_TEST_GITEA_URL") {}

  ExternalBase::Sets sets_of(const std::string& url) const override {
    return {"codehost.plugin=gitea", "codehost.config.base_url=" + url, "codehost.timeout=2s", "codehost.fresh_for=0s"};
  }

  Response look_up() {
    return send_within(2s + kSoonAfter, {.target = "/external/codehost/" + variable("KBASE_TEST_GITEA_USER"),
                                         .fields = {},
                                         .body = {},
                                         .whole_target = {}});
  }
};

TEST_F(ConnectionToCodeHost, CanSplitResponsesAnywhere) {
  connection_->add("slicer", {{"average_size", 100}, {"size_variation", 50}, {"delay", 10}});
  EXPECT_EQ(look_up().status, 200);
}

TEST_F(ConnectionToCodeHost, CanBeSlow) {
  connection_->add("latency", {{"latency", 100}});
  EXPECT_EQ(look_up().status, 200);
}

TEST_F(ConnectionToCodeHost, CausesATimeoutIfNothingPasses) {
  connection_->add("timeout", {{"timeout", 0}});
  expect_error(look_up(), 504, "UPSTREAM_TIMEOUT");
}

TEST_F(ConnectionToCodeHost, CausesATimeoutIfItIsTooNarrow) {
  connection_->add("bandwidth", {{"rate", 0}});
  expect_error(look_up(), 504, "UPSTREAM_TIMEOUT");
}

TEST_F(ConnectionToCodeHost, CausesABadGatewayIfItClosesDuringAResponse) {
  connection_->add("limit_data", {{"bytes", 600}});  // within the profile body, even after a health check
  expect_error(look_up(), 502, "UPSTREAM_ERROR");
}

TEST_F(ConnectionToCodeHost, CausesServiceUnavailableIfItIsReset) {
  connection_->add("reset_peer", {{"timeout", 0}});
  expect_error(look_up(), 503, "SERVICE_UNAVAILABLE");
}

TEST_F(ConnectionToCodeHost, ServesTheCachedAnswerWhileItIsDown) {
  const Response first = look_up();
  ASSERT_EQ(first.status, 200);
  connection_->go(false);
  const Response kept = look_up();
  EXPECT_EQ(kept.body, first.body);
  EXPECT_TRUE(kept.has("age"));
  const Response another = web_->get("/external/codehost/somebody-else");
  expect_error(another, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(another.number("retry-after"), 1);
  connection_->go(true);
}

}  // namespace
}  // namespace kbase::tests
