// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// What a language model is asked. Its views are loans for the length of the call.
struct Prompt {
  std::string_view text;              ///< not empty
  std::string_view model;             ///< as the service names it
  std::uint32_t max_tokens = 0;       ///< that it may generate; at least 1
  std::optional<double> temperature;  ///< 0 to 2; nullopt: the service's own, and none is sent
  bool is_stream = false;             ///< pieces are wanted as they come
};

/// Why a model stopped.
enum class FinishReason {
  Stop,           ///< it had said all
  Length,         ///< max_tokens, or the model's own limit
  ContentFilter,  ///< the service did not let it go on
  Other,
};

/// How a completion ended.
struct Completion {
  std::string model;  ///< that answered, as the service names it; never empty
  FinishReason finish_reason = FinishReason::Other;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t completion_tokens = 0;
};

/// A service that completes prompts.
///
/// Thread-safety: any thread, any number at a time; waits, so never on a thread that answers requests.
/// Contract suite: plugins/conformance/language_model_suite.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  /// Tells the completion's text in pieces, each of them whole UTF-8 and not empty: as they come where the prompt is a
  /// stream, else as it likes. An empty completion has none. The visitor may wait, and the service with it. A prompt is
  /// never sent twice.
  ///
  /// Errors, also after some pieces. InvalidArgument, parameter `model`: the service does not know the model; `prompt`,
  /// `max_tokens` or `temperature`: it does not take the value. BadUpstream: it refused our key, failed, or answered
  /// nonsense. Unavailable: it can't be reached, or, with retry_after, has enough of us for now. Deadline. Cancelled,
  /// also where the visitor asked for no more.
  virtual model::Result<Completion> complete(Call& call, const Prompt& prompt,
                                             model::Visitor<std::string_view> text) = 0;

  /// Whether it can be reached and takes our key. Costs no tokens.
  virtual model::Status health(Call& call) = 0;
};

}  // namespace kbase::ports
