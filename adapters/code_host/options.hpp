// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kbase::code_host {

/// The options that every code-hosting service has.
struct Options {
  /// URL of the service, http:// or https://. All requests go to its origin.
  std::string base_url;
  /// Sent as `Authorization: Bearer`. Empty: requests are anonymous.
  std::string token;
  /// Maximum number of calls for one look-up, including repetitions and calls that only find that nothing changed. At
  /// least kMinCalls.
  std::size_t max_calls = 20;
  /// Maximum number of repositories in a look-up. Further pages are not read.
  std::size_t max_repositories = 100;
};

/// Number of calls that a look-up without languages needs.
inline constexpr std::size_t kMinCalls = 5;

}  // namespace kbase::code_host
