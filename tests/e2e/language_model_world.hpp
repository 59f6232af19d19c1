// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/adapters/http_client.hpp"
#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/fake_api.hpp"
#include "tests/support/scripted_http_server.hpp"

namespace kbase::tests {

/// A language-model service of one API that completes every prompt, or does what a test wants it to.
class ModelService {
 public:
  using Script = ScriptedHttpServer::Script;

  explicit ModelService(const FakeApi& api = fake_openai()) : api_(api) { complete({}); }

  const FakeApi& api() const { return api_; }

  /// What a server is told of it: "llm.plugin=openai" and so on.
  std::vector<std::string> settings() const;

  /// What becomes of the prompts that come from now on.
  void complete(const FakeCompletion& completion);
  void refuse(const std::string& status_and_fields, const std::string& body);
  void say_nothing();
  void play(Script script);

  /// Begins a stream with its first piece.
  void begin(Peer& peer) const;
  /// Ends one that was begun.
  void finish(Peer& peer) const;

  std::vector<HeardRequest> prompts() const;

 private:
  void answer(const HeardRequest& request, Peer& peer);

  const FakeApi& api_;
  mutable std::mutex mutex_;
  Script script_;
  ScriptedHttpServer server_{[this](const HeardRequest& request, Peer& peer) { answer(request, peer); }};
};

/// An event of a stream, and its data.
struct Event {
  std::string name;
  nlohmann::json data;
};

/// Takes a text/event-stream apart, without its comments. Fails the test where it is none.
std::vector<Event> events_of(std::string_view body);

/// Servers that ask a service, and a client with a key.
class LanguageModelTest : public testing::Test {
 protected:
  explicit LanguageModelTest(const FakeApi& api = fake_openai()) : service_(api) {}

  /// Starts a server with these settings beside those of the service.
  Client serve(std::vector<std::string> settings = {});
  ServerProcess& server() { return *server_; }

  /// Runs a subcommand with the same settings.
  Outcome run(std::vector<std::string> command, std::vector<std::string> settings = {}) const;

  const std::string& key();
  /// A client whose bytes a test writes itself.
  RawClient raw_client() const;
  /// A whole request over it.
  std::string raw_prompt(std::string_view body, std::string_view version = "1.1", std::string_view fields = "");

  /// As JSON, unless the fields say otherwise.
  static Request post(std::string body, std::vector<std::string> fields = {});
  static Response prompt(Client& web, const nlohmann::json& members = {{"prompt", "Why?"}}) {
    return web.send(post(members.dump()));
  }

  /// "--set" before each of them and of those of the service.
  std::vector<std::string> arguments(std::vector<std::string> settings) const;

  ModelService service_;
  KnowledgeBase base_{Storage::Memory};

 private:
  std::string key_;
  std::unique_ptr<ServerProcess> server_;
};

inline const nlohmann::json kStreamed{{"prompt", "Why?"}, {"stream", true}};

}  // namespace kbase::tests
