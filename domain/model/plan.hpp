// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/model/day.hpp"

namespace kbase::model {

/// How many requests a subject may make in any 60 seconds and in a UTC day. 0: no limit of that window.
struct Limits {
  std::uint32_t per_minute = 0;
  std::uint32_t per_day = 0;

  bool operator==(const Limits&) const = default;
};

struct Plan {
  std::string name;
  Limits limits;
  std::uint32_t llm_tokens_per_day = 0;  ///< of completions and their prompts in a UTC day; 0: no limit
};

inline constexpr std::string_view kPublicPlan = "public";

/// A plan for the requests without a key that web pages of an origin make.
struct OriginPlan {
  std::string origin;  ///< as browsers send it: "https://docs.example.org"
  std::string plan;
};

/// Whom a request is counted for: a key or a client address, as a 128-bit hash, so that a store never sees either.
using ClientId = std::array<std::uint8_t, 16>;

/// What a subject has left in one window after a take or a look.
struct WindowState {
  std::uint32_t remaining = 0;
  /// When the oldest counted request leaves the window. Of a window without a counted request: a minute from now, or
  /// the next UTC midnight.
  Instant reset;
};

}  // namespace kbase::model
