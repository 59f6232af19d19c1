// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/language_model/answer_lines.hpp"

namespace kbase::language_model {

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
  /// `answer` must outlive this object.
  PartStream(ports::HttpExchange& answer, Framing framing) : lines_(answer), framing_(framing) {}

  /// Waits for the next part; false at the end. Errors: those of `answer`; BadUpstream: a part is too long.
  model::Result<bool> next() { return framing_ == Framing::Events ? next_event() : next_line(); }

  /// Valid until the next call of next().
  std::string_view part() const { return part_; }

 private:
  model::Result<bool> next_event();
  model::Result<bool> next_line();
  model::Status read_field(std::string_view line);

  AnswerLines lines_;
  const Framing framing_;
  std::string data_;  // data of the current event
  bool has_data_ = false;
  std::string_view part_;
};

}  // namespace kbase::language_model
