// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace kbase::tests {

/// What an answer may be. Whatever its status, it is checked as a whole: see answer_check.hpp.
struct Expected {
  std::vector<int> statuses;  ///< any of them
  std::string says = {};      ///< a part of its body
  enum class Body { Whole, HeadOnly } body = Body::Whole;
};

/// What becomes of the connection after the last answer.
enum class After {
  Stays,       ///< another request is answered on it, so the server found the end of the last one
  Closes,      ///< the server ends it, though the client sent another request right behind
  ClientEnds,  ///< the client ends its output after the writes; the server answers, and ends its own
  TimePasses,  ///< nothing more is sent; the server answers at a timeout, and ends it
};

/// What a client writes, each text in a write of its own, and the answers that it then waits for.
struct Exchange {
  std::vector<std::string> writes;
  std::vector<Expected> answers;
};

/// Bytes on a connection, and all that an HTTP server may make of them.
struct RawCase {
  std::string name;  ///< what the bytes are
  /// The rule: a section of an RFC ("9112 7.1"), or a page of the manual that says which of its choices is made here
  /// ("the manual: errors"; the pages it refers to count with it).
  std::string section;
  std::vector<Exchange> exchanges;
  After after = After::Stays;

  RawCase(std::string what, std::string rule, std::string bytes, std::vector<Expected> answers, After then)
      : name(std::move(what)),
        section(std::move(rule)),
        exchanges{{{std::move(bytes)}, std::move(answers)}},
        after(then) {}
  RawCase(std::string what, std::string rule, std::vector<Exchange> steps, After then)
      : name(std::move(what)), section(std::move(rule)), exchanges(std::move(steps)), after(then) {}

  /// All that the client writes.
  std::string bytes() const;
};

void PrintTo(const RawCase& raw, std::ostream* out);

using RawCases = std::vector<RawCase>;

// The words of the tables.

/// A 200 with the item of this id.
Expected item(const std::string& id);
/// The answer of the language model's endpoint to this prompt, which shows that the body arrived. (Where nobody has a
/// key, 401.)
Expected completion(const std::string& prompt);
/// An error of an endpoint.
inline Expected error(int status) {
  return {{status}};
}
/// What is no request: its status, and the connection closes.
inline Expected refused(int status) {
  return {{status}};
}
inline Expected any_of(std::vector<int> statuses) {
  return {std::move(statuses)};
}
inline Expected head_only(int status) {
  return {{status}, {}, Expected::Body::HeadOnly};
}

/// "GET /api/v1/item/a" with a Host and these fields, each with its CR LF.
std::string get(const std::string& fields = {});
/// A request whose request line is this, with a Host.
std::string line(const std::string& request_line);
/// A POST to the language model with a Host; then come further fields, the empty line and the body.
std::string post(const std::string& rest);
/// The same with a body in the chunked coding, which is `coded`.
std::string chunked(const std::string& coded);

/// A body of 15 bytes with the prompt "hi".
inline const std::string kPrompt = R"({"prompt":"hi"})";

}  // namespace kbase::tests
