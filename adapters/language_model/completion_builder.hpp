// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// Passes text that may be split within a character to a visitor as pieces of valid UTF-8. Passes everything at once
/// except the bytes of an incomplete character. Replaces bytes that are not UTF-8 by U+FFFD.
class Utf8Stream {
 public:
  explicit Utf8Stream(Visitor<std::string_view> visitor) : visitor_(visitor) {}

  /// Stop: the visitor stopped.
  Visit append(std::string_view bytes);

  /// Ends the text. An incomplete character becomes U+FFFD.
  Visit finish();

  /// Number of bytes passed to the visitor.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  Visit emit(std::string_view text);

  Visitor<std::string_view> visitor_;
  std::string incomplete_;  // start of an incomplete character
  std::uint64_t bytes_ = 0;
};

/// A completion while its response is read. Passes text to the visitor at once. If a service sends a value twice, the
/// last one counts.
class CompletionBuilder {
 public:
  /// `prompt` must outlive this object.
  CompletionBuilder(const ports::Prompt& prompt, Visitor<std::string_view> visitor) : prompt_(prompt), text_(visitor) {}

  /// Cancelled: the visitor stopped.
  Status append_text(std::string_view text);

  /// Sets the model that answers. Ignores a name that is empty, too long, not UTF-8 or has control characters.
  void set_model(std::string_view name);

  /// The model finished; the completion is now complete.
  void set_finish_reason(ports::FinishReason reason) { finish_reason_ = reason; }
  bool is_complete() const { return finish_reason_.has_value(); }

  /// Set the tokens that the service counted. 0 means not counted, because no prompt or completion is free of tokens.
  void set_prompt_tokens(std::optional<std::uint64_t> tokens) { prompt_tokens_ = tokens.value_or(prompt_tokens_); }
  void set_completion_tokens(std::optional<std::uint64_t> tokens) {
    completion_tokens_ = tokens.value_or(completion_tokens_);
  }

  /// Returns the completion. Tokens that the service did not count are estimated from the bytes. BadUpstream: the
  /// response ended before the model finished. Cancelled: the visitor stopped.
  Result<ports::Completion> finish();

 private:
  const ports::Prompt& prompt_;
  Utf8Stream text_;
  std::string model_;
  std::optional<ports::FinishReason> finish_reason_;
  std::uint64_t prompt_tokens_ = 0;
  std::uint64_t completion_tokens_ = 0;
};

}  // namespace kbase::language_model
