// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "adapters/http/refusal.hpp"

namespace kbase::http {

/// A field line split into name and value (RFC 9112 section 5). Views into the line.
struct FieldLine {
  std::string_view name;
  std::string_view value;
};

/// Splits `line`, which must not include CR LF. Returns nullopt and sets `refusal` if it is not a field line, or if
/// recipients could interpret it differently (obs-fold, a space before the colon, a control character).
std::optional<FieldLine> parse_field_line(std::string_view line, Refusal& refusal);

}  // namespace kbase::http
