// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ports/driving/validator.hpp"

namespace kbase::http {

/// Returns a weak ETag: the XXH3 128-bit hash of the state that the reply was computed from, of the part of the request
/// that determines the reply, and of `edition`, which covers everything else (program version, search plugin and its
/// configuration). Equal on all servers with the same edition and the same content.
std::string entity_tag(std::string_view edition, const ports::Validator& validator, std::string_view canonical_request);

}  // namespace kbase::http
