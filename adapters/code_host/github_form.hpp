// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/code_host/calls.hpp"
#include "adapters/code_host/findings.hpp"

/// The form that GitHub gave its answers, which Gitea took over in most.
namespace kbase::code_host {

/// Adds a repository that is not private; `stars` is the member that counts them.
void add_repository(const Json& repository, const char* stars, Findings& findings);

/// Adds the bytes by language of the repositories, from `api_path`/repos/{full name}/languages.
model::Status read_byte_counts(Calls& calls, std::string_view api_path, Findings& findings);

}  // namespace kbase::code_host
