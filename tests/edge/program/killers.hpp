// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/edge/program/victim.hpp"

namespace kbase::tests {

/// Something that clients may do, and that ends, freezes or confuses a server on Pistache 0.0.5 as it comes.
struct Killer {
  std::string name;
  std::string mode;  ///< of plain_pistache
  /// Does it, and gives the harm that it did; nullopt: none.
  std::function<std::optional<std::string>(Victim&)> attack;
  bool by_chance = false;  ///< the harm needs threads to meet, which a busy machine may keep from it
};

inline void PrintTo(const Killer& killer, std::ostream* out) {
  *out << killer.name;
}

std::vector<Killer> killers();

}  // namespace kbase::tests
