// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::composition {

/// Lists, as text, the live keys of the store whose plan no longer exists: "key_a (gold), key_b (gold) and 7 more".
/// Empty: there are none. Error: Deadline if the store does not answer within five seconds.
model::Result<std::string> planless_keys(ports::ApiKeyStore& store,
                                         model::FunctionRef<bool(const std::string& plan)> is_gone,
                                         const ports::Clock& clock);

}  // namespace kbase::composition
