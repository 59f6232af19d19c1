// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/code_host/calls.hpp"
#include "adapters/code_host/findings.hpp"

/// Readers for the response format of GitHub, most of which Gitea uses too.
namespace kbase::code_host {

/// Adds `repository` if it is not private. `stars` is the name of the member with the number of stars.
void add_repository(const Json& repository, const char* stars, Findings& findings);

/// Adds the bytes per language of each repository, from `api_path`/repos/{full name}/languages.
model::Status read_byte_counts(Calls& calls, std::string_view api_path, Findings& findings);

}  // namespace kbase::code_host
