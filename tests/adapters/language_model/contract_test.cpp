// SPDX-License-Identifier: Apache-2.0
// Runs the contract suite of the language_model port on every adapter. The service is a server that plays the script in
// its own API.
#include <atomic>
#include <mutex>

#include "plugins/conformance/suites.hpp"
#include "tests/adapters/language_model/model_fixture.hpp"
#include "tests/support/contract.hpp"

namespace kbase::tests {
namespace {

using conformance::ServiceScript;

class ScriptedService final : public conformance::LanguageModelFixture {
 public:
  explicit ScriptedService(const FakeApi& api)
      : api_(api),
        server_([this](const ReceivedRequest& received, Peer& peer) { answer(received, peer); }),
        fixture_(api, server_.url()) {}

  ports::LanguageModel& port() override { return fixture_.model(); }

  bool can_answer() override { return true; }
  void play(const ServiceScript& script) override {
    const std::lock_guard lock(mutex_);
    script_ = script;
  }

  std::size_t prompts() const override { return prompts_; }

 private:
  using Behavior = ServiceScript::Behavior;

  ServiceScript script() const {
    const std::lock_guard lock(mutex_);
    return script_;
  }

  void answer(const ReceivedRequest& received, Peer& peer) {
    if (received.method == "GET") return peer.answer("200 OK", "{}");
    const ServiceScript script = this->script();
    ++prompts_;
    switch (script.behavior) {
      case Behavior::UnknownModel: return peer.answer("404 Not Found", api_.no_such_model(conformance::kAskedModel));
      case Behavior::InvalidKey:
        return peer.answer("401 Unauthorized", api_.error("authentication_error", "no such key"));
      case Behavior::RateLimited:
        return peer.answer("429 Too Many Requests\r\nRetry-After: 7", api_.error("rate_limit_error", "slow down"));
      case Behavior::InvalidResponse: return peer.answer("200 OK", "<html>Welcome!</html>");
      case Behavior::Silent: return peer.wait_until_left();
      default: complete(script, api_.wants_stream(received.body), peer);
    }
  }

  void complete(const ServiceScript& script, bool is_stream, Peer& peer) const {
    FakeCompletion completion;
    completion.pieces = script.pieces;
    completion.is_cut_by_length = script.finish_reason == ports::FinishReason::Length;
    completion.prompt_tokens = script.prompt_tokens;
    completion.completion_tokens = script.completion_tokens;
    if (!is_stream) return peer.answer("200 OK", api_.answer(completion));
    Parts parts = api_.stream(completion);
    if (script.behavior == Behavior::Truncated) parts.resize(api_.first_text() + completion.pieces.size());
    peer.send(stream_head(api_) + joined(parts));
    peer.close();
  }

  const FakeApi& api_;
  mutable std::mutex mutex_;
  ServiceScript script_;
  std::atomic<std::size_t> prompts_{0};
  ScriptedHttpServer server_;
  ModelClientFixture fixture_;
};

bool registered_all() {
  for (const FakeApi* const api : fake_apis())
    register_contract<conformance::LanguageModelFixture>((api->name() + "LanguageModel").c_str(),
                                                         conformance::language_model_suite(),
                                                         [api] { return std::make_unique<ScriptedService>(*api); });
  return true;
}

const bool registered = registered_all();

}  // namespace
}  // namespace kbase::tests
