// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/field_line.hpp"

#include "adapters/http/syntax.hpp"

namespace kbase::http {

std::optional<FieldLine> parse_field_line(std::string_view line, Refusal& refusal) {
  const auto refuse = [&](std::string_view message) {
    refusal = {400, message};
    return std::nullopt;
  };
  if (line.front() == ' ' || line.front() == '\t') return refuse("A header field is folded over several lines.");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return refuse("A header field has no colon.");
  const FieldLine field{line.substr(0, colon), trimmed(line.substr(colon + 1))};
  if (!is_token(field.name)) return refuse("A header field's name is empty or has a character that names cannot have.");
  if (!is_field_text(field.value)) return refuse("A header field's value has a control character.");
  return field;
}

}  // namespace kbase::http
