// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// A request to a language model. Its views are valid for the length of the call.
struct Prompt {
  std::string_view text;              ///< not empty
  std::string_view model;             ///< the name that the service uses
  std::uint32_t max_tokens = 0;       ///< maximum number of generated tokens; at least 1
  std::optional<double> temperature;  ///< 0 to 2; nullopt: not sent, the service's default applies
  bool is_stream = false;             ///< deliver the text in pieces as they arrive
};

/// Why the model stopped generating.
enum class FinishReason {
  Stop,           ///< the completion is complete
  Length,         ///< max_tokens or the model's own limit was reached
  ContentFilter,  ///< the service's content filter stopped it
  Other,
};

/// Metadata of a finished completion.
struct Completion {
  std::string model;  ///< the model that answered, as named by the service; never empty
  FinishReason finish_reason = FinishReason::Other;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t completion_tokens = 0;
};

/// Client of a service that completes prompts.
///
/// Thread-safety: any thread, concurrent calls allowed. Blocks, so never call it on a reactor thread.
/// Contract suite: plugins/conformance/language_model_suite.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  /// Passes the completion's text to the visitor in pieces, each valid UTF-8 and not empty. A streamed prompt delivers
  /// them as they arrive; otherwise the split is unspecified. An empty completion has no pieces. A visitor that blocks
  /// also pauses the service's response. A prompt is never sent twice.
  ///
  /// Errors may follow after some pieces. InvalidArgument with parameter `model`: the service does not know the model;
  /// with `prompt`, `max_tokens` or `temperature`: it rejects the value. BadUpstream: it rejected the configured key,
  /// failed, or sent an invalid response. Unavailable: it cannot be reached or, with retry_after, limits our requests.
  /// Deadline. Cancelled: also if the visitor stopped.
  virtual Result<Completion> complete(Call& call, const Prompt& prompt, Visitor<std::string_view> text) = 0;

  /// Whether the service can be reached and accepts the configured key. Uses no tokens.
  virtual Status health(Call& call) = 0;
};

}  // namespace kbase::ports
