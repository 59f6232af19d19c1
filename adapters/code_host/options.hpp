// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kbase::code_host {

/// What every code host is opened with.
struct Options {
  /// Where the service is, http:// or https://. Nothing else is asked.
  std::string base_url;
  /// Sent as `Authorization: Bearer`. Empty: the service is asked as anybody may ask it.
  std::string token;
  /// The most calls that one look-up makes, those that find nothing changed or are sent again included; at least
  /// kMinCalls.
  std::size_t max_calls = 20;
  /// How many repositories a look-up tells about; further pages are not read.
  std::size_t max_repositories = 100;
};

/// What a look-up without languages needs.
inline constexpr std::size_t kMinCalls = 5;

}  // namespace kbase::code_host
