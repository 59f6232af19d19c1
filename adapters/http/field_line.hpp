// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "adapters/http/refusal.hpp"

namespace kbase::http {

/// A field line cut in two (RFC 9112 section 5): views into the line.
struct FieldLine {
  std::string_view name;
  std::string_view value;
};

/// Cuts `line`, which is without its CR LF. nullopt, with `refusal` set: it is no field line, or one that two
/// recipients could read in two ways (obs-fold, a space before the colon, a control character).
std::optional<FieldLine> parse_field_line(std::string_view line, Refusal& refusal);

}  // namespace kbase::http
