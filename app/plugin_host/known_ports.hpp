// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::plugin_host {

/// What every port's table begins with (kbase/base.h).
struct TableStart {
  std::uint32_t struct_size;
  std::uint32_t inline_calls;
  std::uint32_t flags;
  std::uint32_t capabilities;
  const char* config_schema;
};

/// A bit of a table's capabilities or inline calls, by the name that the header gives it.
struct NamedBit {
  std::uint32_t bit;
  const char* name;
};

/// A port that this server can use.
struct KnownPort {
  std::string_view id;  ///< zero-terminated
  /// The functions that every table has, by name: they stand behind its start, side by side. Those behind them may be
  /// missing, and are asked for with KB_HAS where they are used.
  std::span<const char* const> functions;
  std::string_view may_be_null;  ///< the one function that may be
  std::span<const NamedBit> inline_calls;
  std::span<const NamedBit> capabilities;

  std::size_t smallest_size() const { return sizeof(TableStart) + functions.size() * sizeof(void (*)()); }
};

inline constexpr std::size_t kKnownPorts = 8;

/// All of them, in the order in which people are told of them.
std::span<const KnownPort, kKnownPorts> known_ports();

/// The start of a table that was found to be large enough for it.
TableStart start_of(const void* table);

/// Whether such a table has the port's function of this number.
bool has_function(const void* table, std::size_t number);

/// The names of the bits that are set; those without a name, of a newer header, are left out.
std::vector<std::string> names_of(std::uint32_t bits, std::span<const NamedBit> known);

}  // namespace kbase::plugin_host
