// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/raw_connection.hpp"

namespace kbase::tests {

/// Request without its last bytes, so that its server has a request in flight.
class HalfRequest {
 public:
  explicit HalfRequest(const std::string& base_url) : connection_(base_url) {
    EXPECT_TRUE(connection_.send(
        "GET /api/v1/recent HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
    EXPECT_FALSE(connection_.receive().empty()) << "the server has the request's head";
  }

  void finish() { EXPECT_TRUE(connection_.send("{}")); }

 private:
  RawConnection connection_;
};

}  // namespace kbase::tests
