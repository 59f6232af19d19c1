// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/request_parser.hpp"

namespace kbase::tests {

/// Request as a parser understood it.
struct ReadRequest {
  std::string method;
  std::string target;
  std::string body;
  bool keep_alive = true;

  bool operator==(const ReadRequest&) const = default;
};

/// Result of parsing the bytes of a connection.
struct Reading {
  std::vector<ReadRequest> requests;
  bool is_refused = false;  ///< the bytes after `requests` were rejected
  std::string why;          ///< reason of the rejection
  bool is_between = true;   ///< the bytes end after a request, or with empty lines after it

  bool operator==(const Reading&) const = default;
};

void PrintTo(const Reading& reading, std::ostream* out);

/// Feeds the pieces to a parser, one after the other. Aborts the program if the parser violates its guarantees.
Reading read_pieces(const std::vector<std::string_view>& pieces, const http::MessageLimits& limits = {});

/// Feeds the bytes one at a time.
Reading read_singly(std::string_view bytes, const http::MessageLimits& limits = {});

}  // namespace kbase::tests
