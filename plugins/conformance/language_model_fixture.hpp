// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "plugins/conformance/fake_api.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::conformance {

/// The model in the prompts of the checks.
inline constexpr const char* kAskedModel = "small";

/// How the service behind a language model responds to prompts, in any API.
struct ServiceScript {
  enum class Behavior {
    Answers,
    UnknownModel,  ///< refuses the name of the model
    InvalidKey,
    RateLimited,      ///< rate limit, with a Retry-After of 7 seconds
    InvalidResponse,  ///< status 200 with an HTML page
    Truncated,        ///< ends after the pieces, before the end of the stream
    Silent,           ///< accepts the prompt and never replies
  };

  Behavior behavior = Behavior::Answers;
  std::vector<std::string> pieces = {"Be", "cause."};  ///< pieces of a stream; joined if not streamed
  ports::FinishReason finish_reason = ports::FinishReason::Stop;
  std::uint64_t prompt_tokens = 3;
  std::uint64_t completion_tokens = 5;
};

/// A language model whose service follows a script of the check. By default the service is `upstream`; it uses the API
/// that it detects from the URL of the model's first prompt.
class LanguageModelFixture : public Fixture<ports::LanguageModel> {
 public:
  /// Whether the service can answer a prompt with success. False: `upstream` gets no prompts, or prompts of an unknown
  /// API. Refusals, invalid responses and silence work in every API.
  virtual bool can_answer();

  /// Applies `script` from the next prompt on.
  virtual void play(const ServiceScript& script);

  /// Number of prompts that reached the service.
  virtual std::size_t prompts() const { return prompts_; }

  bool reopen() override { return false; }

 private:
  const FakeApi* api();

  std::optional<const FakeApi*> api_;  // nullopt: not detected yet
  std::atomic<std::size_t> prompts_{0};
};

/// The fixture through which a suite uses an implementation of `Port`.
template <class Port>
using FixtureOf = std::conditional_t<std::is_same_v<Port, ports::LanguageModel>, LanguageModelFixture, Fixture<Port>>;

}  // namespace kbase::conformance
