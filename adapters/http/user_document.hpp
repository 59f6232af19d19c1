// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/code_host.hpp"

namespace kbase::http {

/// Creates a writer of code-hosting users as the JSON object `data` of a response (docs/guide/code-host-users.md).
std::unique_ptr<ports::UserWriter> make_user_document();

}  // namespace kbase::http
