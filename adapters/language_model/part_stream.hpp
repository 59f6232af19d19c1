// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/language_model/answer_lines.hpp"

namespace kbase::language_model {

/// How the parts of a stream lie in an answer.
enum class Framing {
  Events,  ///< text/event-stream: a part is the data of an event
  Lines,   ///< application/x-ndjson: a part is a line
};

/// The parts of a stream, each of which is there as soon as its end came. Of server-sent events (WHATWG HTML, section
/// 9.2.6) data alone counts: what an event is about, its data say too. One without data is none, nor is one that the
/// end of the answer cut off; comments and empty lines keep a connection awake.
class PartStream {
 public:
  /// `answer` outlives it.
  PartStream(ports::HttpExchange& answer, Framing framing) : lines_(answer), framing_(framing) {}

  /// Waits for the next part; false at the end. Errors: the answer's; BadUpstream: a part is too long.
  model::Result<bool> next() { return framing_ == Framing::Events ? next_event() : next_line(); }

  /// Valid until next() is called again.
  std::string_view part() const { return part_; }

 private:
  model::Result<bool> next_event();
  model::Result<bool> next_line();
  model::Status read_field(std::string_view line);

  AnswerLines lines_;
  const Framing framing_;
  std::string data_;  // of the event that is being read
  bool has_data_ = false;
  std::string_view part_;
};

}  // namespace kbase::language_model
