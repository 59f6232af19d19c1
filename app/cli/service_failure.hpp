// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/model/error.hpp"

namespace kbase::cli {

/// Where the configuration has the way out of what a service outside failed with, for whoever tries its section:
/// "codehost" or "llm". Empty: the error says so itself.
std::string way_out(const model::Error& error, std::string_view section);

/// As fail and fail_usage, whichever suits, with the way out.
int fail_at_service(model::Error error, std::string_view section);

}  // namespace kbase::cli
