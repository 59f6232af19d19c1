// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/edge/program/target_server.hpp"

namespace kbase::tests {

/// Client behavior that stops, hangs or corrupts an unmodified Pistache 0.0.5 server.
struct Attack {
  std::string name;
  std::string mode;  ///< mode of plain_pistache
  /// Runs the attack and returns the harm it did; nullopt if it did no harm.
  std::function<std::optional<std::string>(TargetServer&)> run;
  bool by_chance = false;  ///< the harm depends on thread timing and may not occur on a busy machine
};

inline void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

std::vector<Attack> attacks();

}  // namespace kbase::tests
