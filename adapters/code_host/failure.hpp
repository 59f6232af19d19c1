// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "domain/model/error.hpp"

namespace kbase::code_host {

/// Returns the error for a service that failed or whose response is not valid.
model::Error bad_answer(std::string detail);

model::Error no_such_user();

/// Returns the error for a service that accepts no requests, or none from this client, for `retry_after`.
model::Error unavailable(std::string detail, std::chrono::milliseconds retry_after);

}  // namespace kbase::code_host
