// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::plugin_host {

/// The common beginning of every port's table (kbase/base.h).
struct TableStart {
  std::uint32_t struct_size;
  std::uint32_t inline_calls;
  std::uint32_t flags;
  std::uint32_t capabilities;
  const char* config_schema;
};

/// A bit of a table's capabilities or inline calls, with its name in the header.
struct NamedBit {
  std::uint32_t bit;
  const char* name;
};

/// The offset of the table's function with this index.
constexpr std::size_t offset_of(std::size_t index) { return sizeof(TableStart) + index * sizeof(void (*)()); }

/// A port that this server supports.
struct KnownPort {
  std::string_view id;  ///< null-terminated
  /// Names of the functions, which follow the table's start without gaps. Those after the mandatory ones are optional;
  /// callers check them with KB_HAS.
  std::span<const char* const> functions;
  std::size_t mandatory;
  std::string_view may_be_null;  ///< the only mandatory function that may be null
  std::span<const NamedBit> inline_calls;
  std::span<const NamedBit> capabilities;

  std::size_t smallest_size() const { return offset_of(mandatory); }
};

inline constexpr std::size_t kKnownPorts = 11;

/// Returns all known ports, in display order.
std::span<const KnownPort, kKnownPorts> known_ports();

/// Returns the start of a table, whose size must have been checked.
TableStart start_of(const void* table);

/// Returns true if the table's function with this index is not null; its size must have been checked.
bool has_function(const void* table, std::size_t number);

/// Returns the names of the set bits; unknown bits, from a newer header, are left out.
std::vector<std::string> names_of(std::uint32_t bits, std::span<const NamedBit> known);

}  // namespace kbase::plugin_host
