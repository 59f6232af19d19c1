// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/language_model/pieces.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// A completion while its response is read. Passes text to the visitor at once. If a service sends a value twice, the
/// last one counts.
class Draft {
 public:
  /// `prompt` must outlive this object.
  Draft(const ports::Prompt& prompt, model::Visitor<std::string_view> visitor) : prompt_(prompt), pieces_(visitor) {}

  /// Cancelled: the visitor stopped.
  model::Status say(std::string_view text);

  /// Sets the model that answers. Ignores a name that is empty, too long, not UTF-8 or has control characters.
  void name_model(std::string_view name);

  /// The model finished; the completion is now complete.
  void stop(ports::FinishReason reason) { finish_reason_ = reason; }
  bool is_whole() const { return finish_reason_.has_value(); }

  /// Set the tokens that the service counted. 0 means not counted, because no prompt or completion is free of tokens.
  void count_prompt(std::optional<std::uint64_t> tokens) { prompt_tokens_ = tokens.value_or(prompt_tokens_); }
  void count_completion(std::optional<std::uint64_t> tokens) {
    completion_tokens_ = tokens.value_or(completion_tokens_);
  }

  /// Returns the completion. Tokens that the service did not count are estimated from the bytes. BadUpstream: the
  /// response ended before the model finished. Cancelled: the visitor stopped.
  model::Result<ports::Completion> finish();

 private:
  const ports::Prompt& prompt_;
  Pieces pieces_;
  std::string model_;
  std::optional<ports::FinishReason> finish_reason_;
  std::uint64_t prompt_tokens_ = 0;
  std::uint64_t completion_tokens_ = 0;
};

}  // namespace kbase::language_model
