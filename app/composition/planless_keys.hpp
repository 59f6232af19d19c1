// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "domain/model/plan.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/api_key_store.hpp"

namespace kbase::composition {

/// The keys of the store that are good at `now` and have a plan that is none of `plans`, in words: "key_a (gold), key_b
/// (gold) and 7 more". Empty: there are none.
model::Result<std::string> planless_keys(ports::ApiKeyStore& store, const std::vector<model::Plan>& plans,
                                         model::Instant now);

}  // namespace kbase::composition
