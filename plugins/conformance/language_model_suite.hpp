// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::conformance {

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

/// A language model whose service a check writes the script of.
class LanguageModelFixture : public Fixture<ports::LanguageModel> {
 public:
  /// From the next prompt on.
  virtual void play(const ServiceScript& script) = 0;

  /// How many prompts have reached the service.
  virtual std::size_t prompts() const = 0;

  bool reopen() final { return false; }
};

/// What every ports::LanguageModel must do.
Suite<LanguageModelFixture> language_model_suite();

}  // namespace kbase::conformance
