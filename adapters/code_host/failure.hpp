// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "domain/model/error.hpp"

namespace kbase::code_host {

/// The service failed or answered nonsense.
model::Error bad_answer(std::string detail);

/// It has no such user.
model::Error no_such_user();

/// It answers nobody now, or not us until `retry_after` has passed.
model::Error unavailable(std::string detail, std::chrono::milliseconds retry_after);

}  // namespace kbase::code_host
