// SPDX-License-Identifier: Apache-2.0
// POST /external/llm as a stream, with a fake service. Manual: docs/guide/completions.md.
#include <csignal>
#include <future>
#include <memory>

#include "tests/e2e/language_model_fixture.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const std::string kPrompt = kStreamed.dump();

using Moment = std::chrono::steady_clock::time_point;

class LanguageModelStream : public LanguageModelTest {
 protected:
  /// Holds the next prompt until its client disconnects, and returns the time of that.
  std::future<Moment> block_stream(bool after_a_piece) {
    const auto left = std::make_shared<std::promise<Moment>>();
    service_.play([this, left, after_a_piece](const ReceivedRequest&, Peer& peer) {
      if (after_a_piece) service_.begin(peer);
      peer.wait_until_left();
      left->set_value(std::chrono::steady_clock::now());
    });
    return left->get_future();
  }

  /// Answers the next prompt with one piece, and with the rest when `goes_on` is set. `goes_on` must outlive the
  /// response.
  void pause_after_a_piece(std::promise<void>& goes_on) {
    service_.play([&](const ReceivedRequest&, Peer& peer) {
      service_.begin(peer);
      goes_on.get_future().wait();
      service_.finish(peer);
    });
  }
};

const std::string kFirst = "event: delta\ndata: {\"text\":\"Gr\"}\n\n";

std::vector<std::string> names_of(const std::vector<Event>& events) {
  std::vector<std::string> names;
  for (const Event& event : events) names.push_back(event.name);
  return names;
}

TEST_F(LanguageModelStream, SendsThePiecesAndThenTheOutcome) {
  Client web = serve();
  Request request = post(kPrompt);
  request.accepts_gzip = true;
  const Response response = web.send(request);
  expect_stream_fields(response);
  EXPECT_EQ(response.number("x-ratelimit-limit"), 60);
  EXPECT_EQ(response.number("x-ratelimit-remaining"), 59);
  const std::vector<Event> events = events_of(response.body);
  EXPECT_EQ(names_of(events), (std::vector<std::string>{"delta", "delta", "delta", "delta", "done"}));
  EXPECT_EQ(events.front().data, (json{{"text", "Gr"}}));
  EXPECT_EQ(events.back().data,
            (json{{"model", "small-1"},
                  {"finish_reason", "stop"},
                  {"usage", {{"prompt_tokens", 11}, {"completion_tokens", 4}, {"total_tokens", 15}}}}));
}

TEST_F(LanguageModelStream, IsReadableOnlyByPagesOfListedOrigins) {
  Client web = serve({"server.cors.allowed_origins=[\"https://good.example\"]"});
  const Response listed = web.send(post(kPrompt, {"Origin: https://good.example"}));
  EXPECT_EQ(listed.field("content-type"), "text/event-stream") << listed.body;
  EXPECT_EQ(listed.field("access-control-allow-origin"), "https://good.example");
  EXPECT_NE(listed.field("access-control-expose-headers").find("X-RateLimit-Remaining"), std::string::npos);
  const Response other = web.send(post(kPrompt, {"Origin: https://bad.example"}));
  EXPECT_EQ(other.status, 200);
  EXPECT_FALSE(other.has("access-control-allow-origin"));
}

TEST_F(LanguageModelStream, SendsEachPieceAtOnce) {
  std::promise<void> seen;
  pause_after_a_piece(seen);
  serve();
  RawClient web = raw_client();
  web.send(raw_prompt(kPrompt));
  EXPECT_EQ(web.answer(/*to_head=*/true).field("transfer-encoding"), "chunked");
  EXPECT_EQ(web.chunk(), kFirst);
  seen.set_value();
  std::string rest;
  for (std::string chunk = web.chunk(); !chunk.empty(); chunk = web.chunk()) rest += chunk;
  EXPECT_EQ(names_of(events_of(rest)), (std::vector<std::string>{"delta", "delta", "delta", "done"}));
  web.get("/categories");
  EXPECT_EQ(web.answer().status, 200) << "the connection stays open";
}

TEST_F(LanguageModelStream, EndsByCloseForAnHttp10Client) {
  serve();
  RawClient web = raw_client();
  web.send(raw_prompt(kPrompt, "1.0", "Connection: keep-alive\r\n"));
  const HttpAnswer head = web.answer(/*to_head=*/true);
  EXPECT_EQ(head.field("connection"), "close");
  EXPECT_EQ(head.field("transfer-encoding"), "(absent)");
  EXPECT_EQ(events_of(web.rest()).back().name, "done");
}

TEST_F(LanguageModelStream, SendsTheOutcomeOfAnEmptyCompletion) {
  service_.complete({{}, /*is_cut_by_length=*/false, 11, 0});
  Client web = serve();
  const Response response = prompt(web, kStreamed);
  expect_stream_fields(response);
  EXPECT_EQ(names_of(events_of(response.body)), std::vector<std::string>{"done"});
}

TEST_F(LanguageModelStream, ReturnsAPlainErrorBeforeItsFirstPiece) {
  Client web = serve({"llm.max_tokens=1024"});
  expect_bad_parameter(prompt(web, {{"prompt", ""}, {"stream", true}}), "prompt");
  expect_bad_parameter(prompt(web, {{"prompt", "x"}, {"stream", true}, {"max_tokens", 9999}}), "max_tokens");
  service_.play([](const ReceivedRequest&, Peer& peer) { peer.reset(); });
  const Response broken = prompt(web, kStreamed);
  EXPECT_TRUE(broken.status == 502 || broken.status == 503) << broken.body;
  EXPECT_EQ(broken.field("content-type"), "application/json; charset=utf-8");
}

/// Expects a stream of one piece that ends with the error `code`.
void expect_error_event(const Response& response, const std::string& code) {
  expect_stream_fields(response);
  const std::vector<Event> events = events_of(response.body);
  ASSERT_EQ(names_of(events), (std::vector<std::string>{"delta", "error"})) << response.body;
  const json& body = events.back().data;
  EXPECT_EQ(body.size(), 2U) << body;
  EXPECT_TRUE(is_timestamp(body.value("timestamp", ""))) << body;
  EXPECT_EQ(body["error"]["code"], code);
  EXPECT_NE(body["error"].value("message", ""), "");
}

TEST_F(LanguageModelStream, EndsWithAnErrorEventIfTheServiceDies) {
  Client web = serve();
  service_.play([this](const ReceivedRequest&, Peer& peer) {
    service_.begin(peer);
    peer.reset();
  });
  expect_error_event(prompt(web, kStreamed), "UPSTREAM_ERROR");
  service_.play([this](const ReceivedRequest&, Peer& peer) {
    service_.begin(peer);
    peer.close();
  });
  expect_error_event(prompt(web, kStreamed), "UPSTREAM_ERROR");
  service_.play([this](const ReceivedRequest&, Peer& peer) {
    service_.begin(peer);
    peer.send(service_.api().error_part("server_error", "a sentence"));
    peer.close();
  });
  const Response response = prompt(web, kStreamed);
  expect_error_event(response, "UPSTREAM_ERROR");
  EXPECT_EQ(response.body.find("a sentence"), std::string::npos);
}

TEST_F(LanguageModelStream, EndsWithAnErrorEventIfTheServiceFallsSilent) {
  service_.play([this](const ReceivedRequest&, Peer& peer) {
    service_.begin(peer);
    peer.wait_until_left();
  });
  for (const char* limit : {"llm.idle_timeout=300ms", "llm.stream_timeout=300ms"}) {
    SCOPED_TRACE(limit);
    Client web = serve({limit});
    const auto began = std::chrono::steady_clock::now();
    expect_error_event(prompt(web, kStreamed), "UPSTREAM_TIMEOUT");
    EXPECT_LT(std::chrono::steady_clock::now() - began, 3s);
  }
}

TEST_F(LanguageModelStream, SendsACommentEveryFifteenSecondsOfSilence) {
  std::promise<void> seen;
  pause_after_a_piece(seen);
  serve();
  RawClient web = raw_client();
  web.send(raw_prompt(kPrompt));
  web.answer(/*to_head=*/true);
  EXPECT_EQ(web.chunk(), kFirst);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(web.is_readable(20'000));
  EXPECT_EQ(web.chunk(), ":\n\n");
  EXPECT_GE(std::chrono::steady_clock::now() - began, 14s);
  seen.set_value();
  EXPECT_NE(web.chunk(), "");
}

struct Leaving {
  const char* name;
  void (*how)(RawClient&);
};

class LeavingClient : public LanguageModelStream, public testing::WithParamInterface<Leaving> {};
INSTANTIATE_TEST_SUITE_P(Each, LeavingClient,
                         testing::Values(Leaving{"Closing", [](RawClient& web) { web.leave(); }},
                                         Leaving{"Resetting", [](RawClient& web) { web.reset(); }},
                                         Leaving{"EndingItsOutput", [](RawClient& web) { web.end_output(); }}),
                         [](const testing::TestParamInfo<Leaving>& leaving) { return leaving.param.name; });

TEST_P(LeavingClient, CancelsTheServiceWithinASecond) {
  struct Case {
    bool is_stream, after_a_piece;
  };
  for (const auto& [is_stream, after_a_piece] : {Case{true, true}, Case{true, false}, Case{false, false}}) {
    SCOPED_TRACE(std::string(is_stream ? "a stream" : "no stream") + (after_a_piece ? " with a piece" : ""));
    std::future<Moment> left = block_stream(after_a_piece);
    const std::size_t prompts_before = service_.prompts().size();
    serve();
    RawClient web = raw_client();
    web.send(raw_prompt(is_stream ? kPrompt : R"({"prompt":"Why?"})"));
    if (after_a_piece) {
      EXPECT_EQ(web.answer(/*to_head=*/true).status, 200);
      EXPECT_EQ(web.chunk(), kFirst);
    }
    ASSERT_TRUE(eventually(kWithinFiveSeconds, [&] { return service_.prompts().size() == prompts_before + 1; }));
    const Moment began = std::chrono::steady_clock::now();
    GetParam().how(web);
    ASSERT_EQ(left.wait_for(kWithinFiveSeconds), std::future_status::ready);
    EXPECT_LT(left.get() - began, kWithinASecond);
  }
}

TEST_F(LanguageModelStream, IsFinishedWhileTheServerDrains) {
  std::promise<void> drains;
  pause_after_a_piece(drains);
  serve({"server.drain_timeout=10s"});
  RawClient web = raw_client();
  web.send(raw_prompt(kPrompt));
  web.answer(/*to_head=*/true);
  EXPECT_EQ(web.chunk(), kFirst);
  server().send_signal(SIGTERM);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return base_.log().find("server.draining") != std::string::npos; }));
  drains.set_value();
  std::string rest;
  for (std::string chunk = web.chunk(); !chunk.empty(); chunk = web.chunk()) rest += chunk;
  EXPECT_EQ(events_of(rest).back().name, "done");
  EXPECT_EQ(server().wait(10s), 0) << base_.log();
}

TEST_F(LanguageModelStream, IsCutOffIfItOutlastsTheDrain) {
  const std::future<Moment> left = block_stream(/*after_a_piece=*/true);
  serve({"server.drain_timeout=300ms"});
  RawClient web = raw_client();
  web.send(raw_prompt(kPrompt));
  web.answer(/*to_head=*/true);
  EXPECT_EQ(web.chunk(), kFirst);
  server().send_signal(SIGTERM);
  EXPECT_EQ(server().wait(10s), 0) << base_.log();
  EXPECT_EQ(web.rest().find("0\r\n\r\n"), std::string::npos) << "no client mistakes it for complete";
  EXPECT_EQ(left.wait_for(kWithinFiveSeconds), std::future_status::ready);
}

}  // namespace
}  // namespace kbase::tests
