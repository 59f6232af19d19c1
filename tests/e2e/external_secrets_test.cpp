// SPDX-License-Identifier: Apache-2.0
// Secrets of the upstream services must not appear in any response, log, metric or printed configuration, whatever
// fails and whichever service repeats them. Manual: docs/operations/secrets.md.
#include <atomic>
#include <map>

#include "tests/e2e/language_model_fixture.hpp"
#include "tests/e2e/metrics.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

// One looks like a key. The other looks like a word and could be mistaken for an error name.
const std::vector<std::string> kApiKeys{"sk-hush-4711", "hushhushkeyofours"};
constexpr const char* kToken = "hushhushtoken";
constexpr const char* kProxyPassword = "hushhushproxy";
const std::string kMark = "hush";

/// Fake service that repeats the credentials of each request in every part of its response.
class EchoingUpstream {
 public:
  enum class Mode { Completes, RejectsTheKey, Fails, Redirects, SendsInvalidData, Disconnects };

  void set_mode(Mode mode) { mode_ = mode; }
  std::string url() const { return server_.url(""); }
  bool has_received(const std::string& secret) const {
    const auto received = server_.received();
    return std::any_of(received.begin(), received.end(),
                       [&](const ReceivedRequest& request) { return request.head.find(secret) != std::string::npos; });
  }

 private:
  static std::string secret_of(const ReceivedRequest& request) {
    const std::string given = request.field("authorization");
    return given.substr(given.find(' ') + 1);
  }

  static std::string user(const std::string& target) {
    if (target.find("/repos") != std::string::npos) return "[]";
    return target == "/graphql" ? R"({"data": {"user": null}})" : R"({"login": "mona"})";
  }

  void answer(const ReceivedRequest& request, Peer& peer) const {
    const std::string secret = secret_of(request);
    const std::string fields = "\r\nX-Echo: " + secret + "\r\nWWW-Authenticate: Bearer realm=\"" + secret +
                               "\"\r\nRetry-After: " + secret + "\r\nServer: " + secret;
    const json error{{"message", secret}, {"type", secret}, {"param", secret}, {"code", secret}};
    const std::string body = json{{"error", error}, {"message", secret}, {"documentation_url", secret}}.dump();
    const bool is_prompt = request.target.ends_with("/chat/completions");
    const bool is_stream = request.body.find("\"stream\":true") != std::string::npos;
    switch (mode_) {
      case Mode::Completes:
        if (!is_prompt) return peer.answer("200 OK" + fields, user(request.target));
        if (!is_stream) return peer.answer("200 OK" + fields, fake_openai().answer({}));
        peer.send(stream_head(fake_openai()) + joined(fake_openai().stream({})));
        return peer.close();
      case Mode::RejectsTheKey: return peer.answer("401 " + secret + fields, body);
      case Mode::Fails: return peer.answer("500 " + secret + fields, body);
      case Mode::Redirects:
        return peer.answer("302 " + secret + "\r\nLocation: http://" + secret + ".example/" + secret, body);
      case Mode::SendsInvalidData: return peer.answer("200 " + secret + fields, secret);
      case Mode::Disconnects:
        peer.send(stream_head(fake_openai()) + joined({fake_openai().stream({})[1]}) + "data: " + body + "\n\n");
        return peer.close();
    }
  }

  std::atomic<Mode> mode_{Mode::Completes};
  ScriptedHttpServer server_{[this](const ReceivedRequest& request, Peer& peer) { answer(request, peer); }};
};

class ExternalSecrets : public testing::TestWithParam<std::string> {
 protected:
  /// Arguments for both services, with their secrets in files.
  std::vector<std::string> arguments(std::vector<std::string> settings = {}) const {
    const std::string key = base_.write("key", GetParam() + "\n").string();
    const std::string token = base_.write("token", std::string(kToken) + "\n").string();
    settings.insert(
        settings.begin(),
        {"logging.level=debug", "upstream.connect_timeout=300ms", "llm.plugin=openai",
         "llm.config.base_url=" + upstream_.url() + "/v1", "llm.config.default_model=small-1",
         "llm.config.api_key=file:" + key, "codehost.plugin=github", "codehost.config.base_url=" + upstream_.url(),
         "codehost.config.token=file:" + token, "codehost.cold_per_minute=0", "codehost.cold_per_minute_keyless=0"});
    std::vector<std::string> all;
    for (const std::string& setting : settings) all.insert(all.end(), {"--set", setting});
    return all;
  }

  static void expect_hidden(const std::string& text) {
    const std::size_t found = text.find(kMark);
    EXPECT_EQ(found, std::string::npos) << text.substr(found > 200 ? found - 200 : 0, 400);
  }

  void run(std::vector<std::string> command, std::vector<std::string> settings = {}) const {
    SCOPED_TRACE(testing::PrintToString(command));
    for (std::string& argument : arguments(std::move(settings))) command.push_back(std::move(argument));
    const Outcome outcome = base_.run(std::move(command));
    expect_hidden(outcome.output);
    expect_hidden(outcome.errors);
  }

  /// Sends every kind of request that reaches the two services.
  void send_all(Client& web, Client& keyed) {
    const auto expect_hidden_in = [](const Response& response) {
      expect_hidden(response.body);
      for (const auto& [name, value] : response.fields) expect_hidden(value);
    };
    expect_hidden_in(web.get("/external/codehost/user" + std::to_string(++users_)));
    for (const char* body : {R"({"prompt":"Why?"})", R"({"prompt":"Why?","stream":true})"})
      expect_hidden_in(keyed.send({.method = "POST",
                                   .target = "/external/llm",
                                   .fields = {"Content-Type: application/json"},
                                   .body = body,
                                   .whole_target = {}}));
    expect_hidden_in(web.get("/health"));
  }

  EchoingUpstream upstream_;
  KnowledgeBase base_{Storage::Memory};
  int users_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Keys, ExternalSecrets, testing::ValuesIn(kApiKeys),
                         [](const auto& test) { return test.index == 0 ? "LikeAKey" : "LikeAWord"; });

const EchoingUpstream::Mode kModes[] = {
    EchoingUpstream::Mode::Completes, EchoingUpstream::Mode::RejectsTheKey,    EchoingUpstream::Mode::Fails,
    EchoingUpstream::Mode::Redirects, EchoingUpstream::Mode::SendsInvalidData, EchoingUpstream::Mode::Disconnects};

TEST_P(ExternalSecrets, AreNeitherReturnedNorLoggedNorExposedAsMetrics) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{},
        {std::string("upstream.proxy=http://me:") + kProxyPassword + "@127.0.0.1:1"},
        {"llm.config.base_url=https" + upstream_.url().substr(4) + "/v1",
         "codehost.config.base_url=https" + upstream_.url().substr(4)}}) {
    std::vector<std::string> all = settings;
    all.emplace_back("admin.port=0");
    ServerProcess server = base_.serve(arguments(all));
    Client web(server.base_url());
    Client keyed(server.base_url(), base_.create_key("developer").text);
    for (const EchoingUpstream::Mode mode : kModes) {
      upstream_.set_mode(mode);
      send_all(web, keyed);
    }
    expect_hidden(Client(admin_url(base_)).get("/metrics").body);
    EXPECT_EQ(server.stop(), 0);
  }
  expect_hidden(base_.log());
  for (const std::string& secret : {GetParam(), std::string(kToken)})
    EXPECT_TRUE(upstream_.has_received(secret)) << "the service itself receives it";
}

TEST_P(ExternalSecrets, AreNotPrintedByCommands) {
  run({"config", "print"});
  run({"config", "print"}, {std::string("upstream.proxy=http://me:") + kProxyPassword + "@127.0.0.1:1"});
  for (const EchoingUpstream::Mode mode : kModes) {
    upstream_.set_mode(mode);
    run({"external", "codehost", "mona"});
    run({"external", "llm", "--prompt", "Why?"});
  }
  const std::string tls = "https" + upstream_.url().substr(4);
  run({"external", "codehost", "mona"}, {"codehost.config.base_url=" + tls});
  run({"external", "llm", "--prompt", "Why?"}, {"llm.config.base_url=" + tls});
}

TEST_P(ExternalSecrets, AreNotQuotedIfTheConfigurationIsInvalid) {
  for (const std::string& wrong :
       {std::string("llm.config.unknown=1"), "llm.config.api_key=[" + GetParam() + "]",
        "llm.config.api_key={a: " + GetParam() + "}", std::string("codehost.config.token=[") + kToken + "]",
        std::string("codehost.config.max_calls=many"), "llm.config.base_url=ftp://me:" + GetParam() + "@127.0.0.1/",
        "llm.config.base_url=http://me:" + GetParam() + "@[/",
        std::string("upstream.proxy=nonsense://me:") + kProxyPassword + "@127.0.0.1:1",
        std::string("llm.config.default_model=")}) {
    SCOPED_TRACE(wrong);
    run({"serve"}, {wrong});
    run({"config", "check"}, {wrong});
    run({"external", "llm", "--prompt", "Why?"}, {wrong});
  }
}

}  // namespace
}  // namespace kbase::tests
