// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/language_model/pieces.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// A completion while its answer is read. Its text is told at once, and what a service tells twice counts as told last.
class Draft {
 public:
  /// `prompt` outlives it.
  Draft(const ports::Prompt& prompt, model::Visitor<std::string_view> visitor) : prompt_(prompt), pieces_(visitor) {}

  /// Cancelled: nobody reads on.
  model::Status say(std::string_view text);

  /// The model that answers; what is no name of one is left out.
  void name_model(std::string_view name);

  /// The model stopped; from here on the completion is whole.
  void stop(ports::FinishReason reason) { finish_reason_ = reason; }
  bool is_whole() const { return finish_reason_.has_value(); }

  /// The tokens that the service counted. 0 of something is as good as none: tokens that were used are never free.
  void count_prompt(std::optional<std::uint64_t> tokens) { prompt_tokens_ = tokens.value_or(prompt_tokens_); }
  void count_completion(std::optional<std::uint64_t> tokens) {
    completion_tokens_ = tokens.value_or(completion_tokens_);
  }

  /// BadUpstream: the answer ended before the model stopped. What the service did not count is estimated from the
  /// bytes.
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
