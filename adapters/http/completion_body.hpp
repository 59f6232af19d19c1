// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/http/problem.hpp"
#include "ports/driving/completions.hpp"

namespace kbase::http {

/// The body of POST /external/llm, owning its texts.
struct CompletionBody {
  std::string prompt;
  std::optional<std::string> model;
  std::optional<std::uint64_t> max_tokens;
  std::optional<double> temperature;
  bool stream = false;

  /// Valid as long as the body.
  ports::CompletionRequest request() const;
};

/// Reads it; unknown members are ignored. What is no JSON object is INVALID_BODY, a wrong member INVALID_PARAMETER.
std::variant<CompletionBody, Problem> parse_completion_body(std::string_view text);

}  // namespace kbase::http
