// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ports/driving/validator.hpp"

namespace kbase::http {

/// A weak ETag: the XXH3 128-bit hash of the state the answer was computed on, of the request as far as it decides the
/// answer, and of `edition`, the text of everything else that does (the program's version, the search plugin with its
/// configuration). Equal on every server of the same edition over the same content.
std::string entity_tag(std::string_view edition, const ports::Validator& validator, std::string_view canonical_request);

}  // namespace kbase::http
