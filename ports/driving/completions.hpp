// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// The body of POST /external/llm (specification 4.10); absent members are decided by the configuration.
struct CompletionRequest {
  std::string_view prompt;
  std::optional<std::string_view> model;
  std::optional<std::uint64_t> max_tokens;
  std::optional<double> temperature;
  bool stream = false;
};

/// Prompts for the language-model service. Any thread.
class Completions {
 public:
  virtual ~Completions() = default;

  /// InvalidArgument with the member's name as `parameter`; Unavailable: the service is disabled.
  virtual model::Status complete(Call& call, const CompletionRequest& request) = 0;
};

}  // namespace kbase::ports
