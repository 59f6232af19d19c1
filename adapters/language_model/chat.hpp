// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// What requests of all APIs have alike: the model, the prompt as the one message of a chat, and whether a stream is
/// wanted.
nlohmann::json chat_of(const ports::Prompt& prompt);

/// The body of a request; what is no UTF-8 in it becomes U+FFFD.
std::string text_of(const nlohmann::json& request);

}  // namespace kbase::language_model
