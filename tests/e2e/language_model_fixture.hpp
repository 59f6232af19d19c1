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

/// Fake language-model service of one API. Completes every prompt, or runs a test's script.
class ModelService {
 public:
  using Script = ScriptedHttpServer::Script;

  explicit ModelService(const FakeApi& api = fake_openai()) : api_(api) { complete({}); }

  const FakeApi& api() const { return api_; }

  /// Settings of a server that uses this service: "llm.plugin=openai" and so on.
  std::vector<std::string> settings() const;

  /// Sets the response to all prompts from now on.
  void complete(const FakeCompletion& completion);
  void refuse(const std::string& status_and_fields, const std::string& body);
  void say_nothing();
  void play(Script script);

  /// Sends the head and the first piece of a stream.
  void begin(Peer& peer) const;
  /// Sends the rest of a stream after begin().
  void finish(Peer& peer) const;

  std::vector<ReceivedRequest> prompts() const;

 private:
  void answer(const ReceivedRequest& request, Peer& peer);

  const FakeApi& api_;
  mutable std::mutex mutex_;
  Script script_;
  ScriptedHttpServer server_{[this](const ReceivedRequest& request, Peer& peer) { answer(request, peer); }};
};

/// Event of a stream, and its data.
struct Event {
  std::string name;
  nlohmann::json data;
};

/// Parses a text/event-stream and drops comments. Fails the test if `body` is not one.
std::vector<Event> events_of(std::string_view body);

/// Servers that use a fake service, and a client with a key.
class LanguageModelTest : public testing::Test {
 protected:
  explicit LanguageModelTest(const FakeApi& api = fake_openai()) : service_(api) {}

  /// Starts a server with these settings and those of the service.
  Client serve(std::vector<std::string> settings = {});
  ServerProcess& server() { return *server_; }

  /// Runs a subcommand with these settings and those of the service.
  Outcome run(std::vector<std::string> command, std::vector<std::string> settings = {}) const;

  const std::string& key();
  /// Client that sends raw bytes.
  RawClient raw_client() const;
  /// Complete HTTP request for a raw client.
  std::string raw_prompt(std::string_view body, std::string_view version = "1.1", std::string_view fields = "");

  /// The content type is JSON unless `fields` has another one.
  static Request post(std::string body, std::vector<std::string> fields = {});
  static Response prompt(Client& web, const nlohmann::json& members = {{"prompt", "Why?"}}) {
    return web.send(post(members.dump()));
  }

  /// Precedes each of these settings and those of the service with "--set".
  std::vector<std::string> arguments(std::vector<std::string> settings) const;

  ModelService service_;
  KnowledgeBase base_{Storage::Memory};

 private:
  std::string key_;
  std::unique_ptr<ServerProcess> server_;
};

inline const nlohmann::json kStreamed{{"prompt", "Why?"}, {"stream", true}};

}  // namespace kbase::tests
