// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/http/problem.hpp"
#include "ports/driving/completions.hpp"

namespace kbase::http {

/// Body of POST /external/llm. Owns its texts.
struct CompletionBody {
  std::string prompt;
  std::optional<std::string> model;
  std::optional<std::uint64_t> max_tokens;
  std::optional<double> temperature;
  bool stream = false;

  /// The returned views are valid as long as the body.
  ports::CompletionRequest request() const;
};

/// Parses the body and ignores unknown members. Returns INVALID_BODY if it is not a JSON object, INVALID_PARAMETER if a
/// member is invalid.
std::variant<CompletionBody, Problem> parse_completion_body(std::string_view text);

}  // namespace kbase::http
