// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/reading.hpp"

#include <cstdlib>
#include <ostream>

#include "adapters/http/problem.hpp"
#include "adapters/http/syntax.hpp"

namespace kbase::tests {
namespace {

using State = http::RequestParser::State;

void require(bool condition) {
  if (!condition) std::abort();
}

/// Aborts unless the request has the properties that the parser guarantees.
void require_sound(const http::Request& request, const http::MessageLimits& limits) {
  require(http::is_token(request.method()));
  require(request.target().size() <= limits.request_line_bytes && request.body().size() <= limits.body_bytes);
  for (const char c : request.target()) require(c > 0x20 && c < 0x7F);
  unsigned hosts = 0;
  request.each_field("host", [&](std::string_view value) {
    ++hosts;
    require(http::is_field_text(value));
  });
  require(hosts <= 1 && (hosts == 1 || request.minor_version() == 0));
  require(!request.field("transfer-encoding") || !request.field("content-length"));
}

class Reader {
 public:
  explicit Reader(const http::MessageLimits& limits) : limits_(limits), parser_(limits) {}

  void feed(std::string_view bytes) {
    for (;;) {
      const std::size_t consumed = parser_.feed(bytes);
      require(consumed <= bytes.size());
      bytes.remove_prefix(consumed);
      if (parser_.state() != State::Complete) break;
      keep(parser_.request());
      parser_.next();
    }
    require(bytes.empty() || parser_.state() == State::Refused);
  }

  Reading result() {
    reading_.is_refused = parser_.state() == State::Refused;
    reading_.is_between = parser_.state() == State::Idle;
    if (reading_.is_refused) {
      const http::Refusal& refusal = parser_.refusal();
      require(refusal.status >= 400 && refusal.status <= 505 && refusal.status != 500);
      const http::HttpStatus status = static_cast<http::HttpStatus>(refusal.status);
      // A status without an entry in the table of problems gets the code of status 500.
      const http::Problem problem = http::make_problem(status, std::string(refusal.message));
      require(problem.code != http::make_problem(http::HttpStatus::Internal_Server_Error).code);
      reading_.why = std::to_string(refusal.status) + " " + problem.message;
    }
    return std::move(reading_);
  }

 private:
  void keep(const http::Request& request) {
    require_sound(request, limits_);
    reading_.requests.push_back(
        {std::string(request.method()), std::string(request.target()), request.body(), request.keep_alive()});
  }

  const http::MessageLimits limits_;
  http::RequestParser parser_;
  Reading reading_;
};

}  // namespace

Reading read_pieces(const std::vector<std::string_view>& pieces, const http::MessageLimits& limits) {
  Reader reader(limits);
  for (const std::string_view piece : pieces) reader.feed(piece);
  return reader.result();
}

Reading read_singly(std::string_view bytes, const http::MessageLimits& limits) {
  Reader reader(limits);
  for (const char& byte : bytes) reader.feed({&byte, 1});
  return reader.result();
}

void PrintTo(const Reading& reading, std::ostream* out) {
  for (const ReadRequest& request : reading.requests)
    *out << request.method << ' ' << request.target << (request.keep_alive ? " stays" : " closes") << " body \""
         << request.body << "\"\n";
  *out << (reading.is_refused ? "refused: " + reading.why : reading.is_between ? "nothing more" : "incomplete");
}

}  // namespace kbase::tests
