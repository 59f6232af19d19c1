// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace kbase::tests {

/// Expected response. The whole response is checked too, see answer_check.hpp.
struct Expected {
  std::vector<int> statuses;   ///< any of these
  std::string body_part = {};  ///< substring of the body
  enum class Body { Whole, HeadOnly } body = Body::Whole;
};

/// Expected state of the connection after the last response.
enum class After {
  Stays,       ///< another request is answered, so the server found the end of the previous one
  Closes,      ///< the server closes it and ignores the request that the client sent directly after
  ClientEnds,  ///< the client ends its output after the writes; the server responds and closes
  TimePasses,  ///< nothing more is sent; the server responds at a timeout and closes
};

/// Texts that a client sends, each in its own write, and the responses that it then waits for.
struct Exchange {
  std::vector<std::string> writes;
  std::vector<Expected> answers;
};

/// Bytes on a connection, and every result that an HTTP server may have for them.
struct RawCase {
  std::string name;  ///< description of the bytes
  /// The rule that applies: a section of an RFC ("9112 7.1"), or a page of the manual that documents kbase's choice
  /// ("the manual: errors", including the pages it refers to).
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

  /// All bytes that the client writes.
  std::string bytes() const;
};

void PrintTo(const RawCase& raw, std::ostream* out);

using RawCases = std::vector<RawCase>;

// Building blocks of the tables.

/// A 200 with the item `id`.
Expected item(const std::string& id);
/// Response of the language-model endpoint to this prompt, which proves that the body arrived; 401 on servers without
/// keys.
Expected completion(const std::string& prompt);
/// Error response of an endpoint.
inline Expected error(int status) { return {{status}}; }
/// Response with this status to bytes that are not a valid request; the connection closes.
inline Expected refused(int status) { return {{status}}; }
inline Expected any_of(std::vector<int> statuses) { return {std::move(statuses)}; }
inline Expected head_only(int status) { return {{status}, {}, Expected::Body::HeadOnly}; }

/// "GET /api/v1/item/a" with a Host field and `fields`, each of which ends with CR LF.
std::string get(const std::string& fields = {});
/// Request with this request line and a Host field.
std::string line(const std::string& request_line);
/// POST to the language-model endpoint with a Host field. `rest` has more fields, the empty line and the body.
std::string post(const std::string& rest);
/// POST to the language-model endpoint with the chunked body `coded`.
std::string chunked(const std::string& coded);

/// Body of 15 bytes with the prompt "hi".
inline const std::string kPrompt = R"({"prompt":"hi"})";

}  // namespace kbase::tests
