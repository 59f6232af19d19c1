// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "app/plugin_host/host_table.hpp"
#include "plugins/conformance/suites.hpp"
#include "plugins/sdk/plugin.hpp"
#include "tests/plugins/host_fixture.hpp"
#include "tests/support/contract.hpp"

/// Runs the language-model contract suite on a scripted model: directly as a port, and through a plugin's table.
namespace kbase::tests {
namespace {

using conformance::ServiceScript;

class ValidModel final : public ports::LanguageModel {
 public:
  explicit ValidModel(const ports::Clock& clock) : clock_(clock) {}

  void play(const ServiceScript& script) {
    const std::lock_guard lock(mutex_);
    script_ = script;
  }
  std::size_t prompts() const { return prompts_; }

  Result<ports::Completion> complete(ports::Call& call, const ports::Prompt& prompt,
                                     Visitor<std::string_view> text) override {
    ++prompts_;
    const ServiceScript script = this->script();
    if (const auto refused = refusal_of(script.behavior)) return *refused;
    if (script.behavior == ServiceScript::Behavior::Silent) return silence(call);
    std::string whole;
    for (const std::string& piece : script.pieces) whole += piece;
    const std::vector<std::string> passed = prompt.is_stream || whole.empty() ? script.pieces : std::vector{whole};
    for (const std::string& piece : passed)
      if (text(piece) == Visit::Stop) return failure(ErrorCode::Cancelled);
    if (script.behavior == ServiceScript::Behavior::Truncated) return failure(ErrorCode::BadUpstream);
    return ports::Completion{"small-1", script.finish_reason, script.prompt_tokens, script.completion_tokens};
  }

  Status health(ports::Call&) override { return {}; }

 private:
  using Behavior = ServiceScript::Behavior;

  ServiceScript script() const {
    const std::lock_guard lock(mutex_);
    return script_;
  }

  static Error failure(ErrorCode code) { return {code, "No."}; }

  static std::optional<Error> refusal_of(Behavior behavior) {
    if (behavior == Behavior::UnknownModel) return invalid_argument("model", "There is no such model.");
    if (behavior == Behavior::InvalidKey || behavior == Behavior::InvalidResponse)
      return failure(ErrorCode::BadUpstream);
    if (behavior == Behavior::RateLimited)
      return Error{ErrorCode::Unavailable, "Enough.", {}, {}, std::chrono::seconds(7)};
    return std::nullopt;
  }

  Error silence(const ports::Call& call) const {
    while (!call.cancelled()) {
      if (clock_.steady() >= call.deadline) return failure(ErrorCode::Deadline);
      std::this_thread::yield();
    }
    return failure(ErrorCode::Cancelled);
  }

  const ports::Clock& clock_;
  mutable std::mutex mutex_;
  ServiceScript script_;
  std::atomic<std::size_t> prompts_{0};
};

class ModelFixture final : public conformance::LanguageModelFixture {
 public:
  ports::LanguageModel& port() override { return model_; }
  bool can_answer() override { return true; }
  void play(const ServiceScript& script) override { model_.play(script); }
  std::size_t prompts() const override { return model_.prompts(); }

 private:
  ValidModel model_{clock};
};

// Returned by the plugin's open function. Only one fixture exists at a time.
std::shared_ptr<ValidModel> offered;

sdk::Opened<ports::LanguageModel> open_plugin_model(sdk::Setup&) {
  return std::shared_ptr<ports::LanguageModel>(offered);
}

class PluginFixture final : public conformance::LanguageModelFixture {
 public:
  PluginFixture() {
    offered = model_;
    auto opened = plugin_host::open_port<ports::LanguageModel>(table_, host_, "{}");
    if (!opened) throw std::runtime_error(opened.error().message);
    port_ = *std::move(opened);
  }

  ports::LanguageModel& port() override { return *port_; }
  bool can_answer() override { return true; }
  void play(const ServiceScript& script) override { model_->play(script); }
  std::size_t prompts() const override { return model_->prompts(); }

 private:
  const std::shared_ptr<ValidModel> model_ = std::make_shared<ValidModel>(clock);
  const kb_language_model_v1 table_ = sdk::table<ports::LanguageModel, open_plugin_model>({});
  RecordingLog log_;
  const plugin_host::HostTable host_{"org.example.honest", "honest", {this->clock, log_, nullptr}};
  std::unique_ptr<ports::LanguageModel> port_;
};

using Fixture = conformance::LanguageModelFixture;

const bool kRegistered = register_contract<Fixture>("LanguageModel", conformance::language_model_suite(),
                                                    [] { return std::make_unique<ModelFixture>(); }) &&
                         register_contract<Fixture>("LanguageModelPlugin", conformance::language_model_suite(),
                                                    [] { return std::make_unique<PluginFixture>(); });

}  // namespace
}  // namespace kbase::tests
