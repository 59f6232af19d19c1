// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/language_model/json.hpp"
#include "domain/model/error.hpp"

namespace kbase::language_model {

/// An error object of a service. The forms are OpenAI's {"error": {"message", "type", "param", "code"}}, Anthropic's
/// {"type": "error", "error": {"type", "message"}} and Ollama's {"error": MESSAGE}. Servers mix them, so every form is
/// accepted from every server.
struct Complaint {
  std::string sentence;                 ///< message; may quote the prompt or our key, so it is never logged or shown
  std::string parameter;                ///< request parameter, as the service names it
  std::vector<std::string> names;       ///< type and code, identifiers such as "rate_limit_error"
  std::optional<std::uint32_t> status;  ///< set if the code is an HTTP status
};

/// Reads the error object in `answer`; nullopt: it has none.
std::optional<Complaint> complaint_in(Value answer);

/// A response with a status other than 200.
struct Refusal {
  std::uint32_t status = 0;
  Complaint complaint;
  std::chrono::milliseconds retry_after{0};  ///< 0: not given
};

/// Returns the error that a refused prompt for `model` ends with, by the rules of ports::LanguageModel. The detail
/// contains advice for the operator.
model::Error error_of(const Refusal& refusal, std::string_view model);

/// Returns the error for an error object in place of a response or of a part of a stream.
model::Error error_of(const Complaint& complaint, std::string_view model);

/// Returns the error for a response that does not follow the API.
model::Error nonsense(std::string detail);

}  // namespace kbase::language_model
