// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "domain/model/day.hpp"
#include "domain/model/result.hpp"
#include "ports/driving/key_administration.hpp"

namespace kbase::cli {

/// How much one key was used.
struct KeyUse {
  std::map<model::Day, std::uint64_t> days;  ///< of the span that was asked for
  std::uint64_t requests = 0;                ///< of these days together
};

/// By the keys' ids; a key that was not used in the span is not there.
using KeyUses = std::map<std::string, KeyUse, std::less<>>;

/// What was counted from `first` on. Unsupported: the store keeps no usage.
model::Result<KeyUses> read_key_uses(ports::KeyAdministration& keys, ports::Call& call, model::Day first);

}  // namespace kbase::cli
