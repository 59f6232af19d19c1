// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/request_parser.hpp"

namespace kbase::tests {

/// One request as a parser understood it.
struct ReadRequest {
  std::string method;
  std::string target;
  std::string body;
  bool keep_alive = true;

  bool operator==(const ReadRequest&) const = default;
};

/// What a parser makes of the bytes of a connection.
struct Reading {
  std::vector<ReadRequest> requests;
  bool is_refused = false;  ///< of what follows the requests
  std::string why;          ///< then
  bool is_between = true;   ///< the bytes end with a request's end, or with empty lines after it

  bool operator==(const Reading&) const = default;
};

void PrintTo(const Reading& reading, std::ostream* out);

/// Gives the pieces to a parser, one after the other. A parser that breaks its own promises ends the program.
Reading read_pieces(const std::vector<std::string_view>& pieces, const http::MessageLimits& limits = {});

/// The bytes one by one.
Reading read_singly(std::string_view bytes, const http::MessageLimits& limits = {});

}  // namespace kbase::tests
