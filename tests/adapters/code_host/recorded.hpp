// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "domain/model/day.hpp"
#include "tests/support/fake_service.hpp"

namespace kbase::tests {

/// An exchange with a real service, as it was recorded.
struct Recorded {
  std::string source;
  std::string method;
  std::string path;
  std::string if_none_match;  ///< of the request
  Canned answer;
};

/// The exchanges of a file of the folder codehost in KBASE_TEST_DATA; none where that is not there. Times that depend
/// on the clock, such as "@unix+3s" and "@date+8s", are filled in for `now`.
std::vector<Recorded> recorded(const std::string& file, model::Instant now);

}  // namespace kbase::tests
