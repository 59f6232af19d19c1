// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"

namespace kbase::model {

inline constexpr std::size_t kMaxQueryBytes = 200;     ///< longest query that is counted
inline constexpr std::size_t kMaxCommentBytes = 2000;  ///< longest comment of feedback

/// How often a query was asked on a day.
struct QueryCount {
  std::string_view query;  ///< normalised, 1 to 200 bytes of UTF-8
  Day day{};
  std::uint64_t searches = 0;
  std::uint64_t without_result = 0;
  std::uint64_t with_click = 0;  ///< searches after which a result was read
};

/// What a reader said of an item.
struct Feedback {
  std::string_view item;
  Day day{};
  ClientId reader{};  ///< hash of who said it; all zeros once the day is over
  bool is_helpful = false;
  std::string_view comment;  ///< up to 2,000 bytes of UTF-8
};

}  // namespace kbase::model
