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

/// The model that the checks ask for.
inline constexpr const char* kAskedModel = "small";

/// What the service behind a language model does with prompts, in whatever it speaks.
struct ServiceScript {
  enum class Mood {
    Answers,
    KnowsNoModel,  ///< refuses the model by its name
    RefusesOurKey,
    HasEnoughOfUs,  ///< and says to come back in 7 seconds
    TalksNonsense,  ///< a success that is nothing it should be
    BreaksOff,      ///< after the pieces, and before the end
    SaysNothing,    ///< takes the prompt and is silent
  };

  Mood mood = Mood::Answers;
  std::vector<std::string> pieces = {"Be", "cause."};  ///< of a stream; plain, they are one text
  ports::FinishReason finish_reason = ports::FinishReason::Stop;
  std::uint64_t prompt_tokens = 3;
  std::uint64_t completion_tokens = 5;
};

/// A language model whose service a check writes the script of. Unless a fixture has a service of its own, `upstream`
/// is it, in the words of the API that the model's first prompt shows it to speak.
class LanguageModelFixture : public Fixture<ports::LanguageModel> {
 public:
  /// Whether the service can answer a prompt with success. False: `upstream` gets no prompts, or none of an API it
  /// knows; refusals, nonsense and silence are the same in every API.
  virtual bool can_answer();

  /// From the next prompt on.
  virtual void play(const ServiceScript& script);

  /// How many prompts have reached the service.
  virtual std::size_t prompts() const { return prompts_; }

  bool reopen() override { return false; }

 private:
  const FakeApi* api();

  std::optional<const FakeApi*> api_;  // nullopt: not seen yet
  std::atomic<std::size_t> prompts_{0};
};

/// What a suite asks an implementation of `Port` through.
template <class Port>
using FixtureOf = std::conditional_t<std::is_same_v<Port, ports::LanguageModel>, LanguageModelFixture, Fixture<Port>>;

}  // namespace kbase::conformance
