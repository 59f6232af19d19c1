// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "domain/model/day.hpp"
#include "tests/support/fake_service.hpp"

namespace kbase::tests {

/// A recorded exchange with a real service.
struct Recorded {
  std::string source;
  std::string method;
  std::string path;
  std::string if_none_match;  ///< request header field
  Canned answer;
};

/// Returns the exchanges of a file in the folder codehost of KBASE_TEST_DATA; empty if there is no such folder. Times
/// relative to the clock, such as "@unix+3s" and "@date+8s", are resolved for `now`.
std::vector<Recorded> recorded(const std::string& file, model::Instant now);

}  // namespace kbase::tests
