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

/// What a service says is wrong. The shapes are OpenAI's {"error": {"message", "type", "param", "code"}}, Anthropic's
/// {"type": "error", "error": {"type", "message"}} and Ollama's {"error": MESSAGE}; servers mix them, so any is read.
struct Complaint {
  std::string sentence;                 ///< may quote the prompt or our key: it is looked at and never shown
  std::string parameter;                ///< of the request, as the service names it
  std::vector<std::string> names;       ///< its type and code: identifiers such as "rate_limit_error"
  std::optional<std::uint32_t> status;  ///< where its code is a status of HTTP
};

/// nullopt: `answer` is none.
std::optional<Complaint> complaint_in(Value answer);

/// An answer with a status that is not 200.
struct Refusal {
  std::uint32_t status = 0;
  Complaint complaint;
  std::chrono::milliseconds retry_after{0};  ///< 0: it does not say
};

/// What a refused prompt for `model` fails with, as ports::LanguageModel has it. The detail says what an operator can
/// do.
model::Error error_of(const Refusal& refusal, std::string_view model);

/// The same of a complaint where an answer, or more of one, was due.
model::Error error_of(const Complaint& complaint, std::string_view model);

/// The answer is none that the API knows.
model::Error nonsense(std::string detail);

}  // namespace kbase::language_model
