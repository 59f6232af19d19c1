// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"

namespace kbase::config {

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Replaces every ${NAME} and ${NAME:-default} by the variable's value (the default also replaces an empty value, as in
/// a shell), and every "$${" by "${". nullopt: `text` contains none of them. InvalidArgument, with only the reason as
/// message: a variable without a default is not set, a value is not valid UTF-8, a name is invalid, or a "${" is not
/// closed.
model::Result<std::optional<std::string>> expand(std::string_view text, const Environment& environment);

/// Returns the text that expand() turns into `text`.
std::string without_expansion(std::string_view text);

}  // namespace kbase::config
