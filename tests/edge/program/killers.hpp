// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/edge/program/victim.hpp"

namespace kbase::tests {

/// Client behavior that stops, hangs or corrupts an unmodified Pistache 0.0.5 server.
struct Killer {
  std::string name;
  std::string mode;  ///< mode of plain_pistache
  /// Runs the attack and returns the harm it did; nullopt if there is none.
  std::function<std::optional<std::string>(Victim&)> attack;
  bool by_chance = false;  ///< the harm depends on thread timing and may not occur on a busy machine
};

inline void PrintTo(const Killer& killer, std::ostream* out) {
  *out << killer.name;
}

std::vector<Killer> killers();

}  // namespace kbase::tests
