// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/model/day.hpp"

namespace kbase::model {

/// Maximum number of requests of one client in any 60 seconds and in a UTC day. 0: unlimited.
struct Limits {
  std::uint32_t per_minute = 0;
  std::uint32_t per_day = 0;

  bool operator==(const Limits&) const = default;
};

struct Plan {
  std::string name;
  Limits limits;
  std::uint32_t llm_tokens_per_day = 0;  ///< prompt and completion tokens in a UTC day; 0: unlimited
};

inline constexpr std::string_view kPublicPlan = "public";

/// The plan of requests that web pages of an origin send without a key.
struct OriginPlan {
  std::string origin;  ///< in the form that browsers send: "https://docs.example.org"
  std::string plan;
};

/// Rate-limit key of a client: the 128-bit hash of an API key's id or a client address. Rate limit stores see neither.
using ClientId = std::array<std::uint8_t, 16>;

/// State of one of a client's windows after acquire, for a charge or a peek.
struct WindowState {
  std::uint32_t remaining = 0;
  /// When the oldest counted request leaves the window. Without a counted request: one minute from now, or the next UTC
  /// midnight.
  Instant reset;
};

}  // namespace kbase::model
