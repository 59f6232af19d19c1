// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"

namespace kbase::config {

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// `text` with the environment in the place of every ${NAME} and ${NAME:-default} (the default also stands for an
/// empty variable, as in a shell) and "${" in that of every "$${"; nullopt: it has none of them. InvalidArgument, with
/// the bare reason as message: a variable without default is not set, or is not valid UTF-8; a "${" is not closed.
model::Result<std::optional<std::string>> expand(std::string_view text, const Environment& environment);

/// The text that expand() makes `text` of.
std::string without_expansion(std::string_view text);

}  // namespace kbase::config
