// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// Maximum size of a line and of an event. Bounds the memory of a stream.
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

/// Splits a response into lines and returns each line as soon as it is complete. Lines end with CR LF, LF or CR (WHATWG
/// HTML, section 9.2.5; a line of JSON contains neither). Removes the line end, and a byte order mark before the first
/// line.
class ResponseLines {
 public:
  /// `response` must outlive this object.
  explicit ResponseLines(ports::HttpExchange& response) : response_(response) {}

  /// Waits for the next line; false at the end. Errors: those of `response`; BadUpstream: the line is too long.
  Result<bool> next();

  /// Valid until the next call of next().
  std::string_view line() const { return line_; }

 private:
  void skip_line_feed();
  bool read_line();
  Status buffer_rest();

  ports::HttpExchange& response_;
  std::array<char, 1024> buffer_{};  // small, because each open stream holds one
  std::string_view rest_;            // unread part of the buffer
  std::string joined_;               // line that arrived in several reads
  std::string_view line_;
  bool is_first_ = true;
  bool ended_with_cr_ = false;  // the last line did; a following LF is part of the same line end
};

/// How a response is split into the parts of a stream.
enum class Framing {
  Events,  ///< text/event-stream: a part is the data of an event
  Lines,   ///< application/x-ndjson: a part is a line
};

/// Splits a response into the parts of a stream and returns each part as soon as it is complete. Uses only the data of
/// server-sent events (WHATWG HTML, section 9.2.6), because the data contains the type of the event too. Ignores events
/// without data, an event that the end of the response cuts off, and comments and empty lines, which only keep the
/// connection alive.
class PartStream {
 public:
  /// `response` must outlive this object.
  PartStream(ports::HttpExchange& response, Framing framing) : lines_(response), framing_(framing) {}

  /// Waits for the next part; false at the end. Errors: those of `response`; BadUpstream: a part is too long.
  Result<bool> next() { return framing_ == Framing::Events ? next_event() : next_line(); }

  /// Valid until the next call of next().
  std::string_view part() const { return part_; }

 private:
  Result<bool> next_event();
  Result<bool> next_line();
  Status read_field(std::string_view line);

  ResponseLines lines_;
  const Framing framing_;
  std::string data_;  // data of the current event
  bool has_data_ = false;
  std::string_view part_;
};

/// Passes text that may be split within a character to a visitor as pieces of valid UTF-8. Passes everything at once
/// except the bytes of an incomplete character. Two halves of a surrogate pair, each in three bytes (CESU-8, Unicode
/// Technical Report 26), become their character. Replaces other bytes that are not UTF-8 by U+FFFD.
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

  /// Appends text, which may be empty. Cancelled: the visitor stopped.
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
  /// response ended before the model finished, or the model finished and no text was appended, not even an empty one:
  /// the service sends it in an unknown place. Cancelled: the visitor stopped.
  Result<ports::Completion> finish();

 private:
  const ports::Prompt& prompt_;
  Utf8Stream text_;
  std::string model_;
  bool has_text_ = false;
  std::optional<ports::FinishReason> finish_reason_;
  std::uint64_t prompt_tokens_ = 0;
  std::uint64_t completion_tokens_ = 0;
};

}  // namespace kbase::language_model
