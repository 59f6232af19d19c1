// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/negotiation.hpp"

#include <optional>

#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

/// Returns whether the parameters after the first `;` of an element contain a weight of zero: q=0, q=0.0, q=0.000.
bool is_unwanted(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    const std::string_view parameter = trimmed(parameters.substr(0, end));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
    if (parameter.size() < 3 || !equals_lower(parameter.substr(0, 2), "q=")) continue;
    return parameter.find_first_not_of("0.", 2) == std::string_view::npos;
  }
  return false;
}

std::string_view without_weakness(std::string_view entity_tag) {
  return entity_tag.starts_with("W/") ? entity_tag.substr(2) : entity_tag;
}

std::string_view first_part(std::string_view element) {
  return trimmed(element.substr(0, element.find(';')));
}

}  // namespace

bool accepts_gzip(const Request& request) {
  std::optional<bool> named;
  bool any = false;
  request.each_field("accept-encoding", [&](std::string_view list) {
    while (!list.empty()) {
      const std::string_view element = next_element(list);
      const std::string_view coding = first_part(element);
      const std::size_t parameters = std::min(element.find(';'), element.size());
      const bool wanted = !is_unwanted(element.substr(parameters));
      if (equals_lower(coding, "gzip") || equals_lower(coding, "x-gzip")) named = wanted;
      if (coding == "*") any = wanted;
    }
  });
  return named.value_or(any);
}

bool lists_entity_tag(const Request& request, std::string_view entity_tag) {
  bool listed = false;
  request.each_field("if-none-match", [&](std::string_view list) {
    while (!list.empty() && !listed) listed = without_weakness(next_element(list)) == without_weakness(entity_tag);
  });
  return listed;
}

bool lists_any_entity(const Request& request) {
  return request.field("if-none-match") == "*";
}

bool has_json_body(const Request& request) {
  if (const auto coding = request.field("content-encoding"); coding && !equals_lower(*coding, "identity")) return false;
  const auto field = request.field("content-type");
  if (!field) return true;
  const std::string type = lower_case(first_part(*field));
  return type == "application/json" || (type.starts_with("application/") && type.ends_with("+json"));
}

}  // namespace kbase::http
