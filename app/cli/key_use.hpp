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

/// Usage of one key in a range of days.
struct KeyUse {
  std::map<model::Day, std::uint64_t> days;  ///< requests by day
  std::uint64_t requests = 0;                ///< sum over these days
};

/// Usage by key id. Keys without usage in the range are absent.
using KeyUses = std::map<std::string, KeyUse, std::less<>>;

/// Returns the usage counted since `first`. Unsupported: the store does not record usage.
model::Result<KeyUses> read_key_uses(ports::KeyAdministration& keys, ports::Call& call, model::Day first);

}  // namespace kbase::cli
