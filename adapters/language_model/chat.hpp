// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// Returns the members that the requests of all APIs share: the model, the prompt as the only message of a chat, and
/// whether to stream.
nlohmann::json chat_of(const ports::Prompt& prompt);

/// Serializes the body of a request. Replaces bytes that are not UTF-8 by U+FFFD.
std::string text_of(const nlohmann::json& request);

}  // namespace kbase::language_model
