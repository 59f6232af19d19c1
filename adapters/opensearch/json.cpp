// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/json.hpp"

#include <cmath>

#include "adapters/json/bounds.hpp"

namespace kbase::opensearch {
namespace {

/// The longest responses are those to bulk requests, with a few values for each of some thousand documents.
constexpr json::Bounds kBounds{.depth = 64, .values = 200'000};

}  // namespace

std::optional<Json> parse(std::string_view text) {
  if (!json::is_within(kBounds, text)) return std::nullopt;
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::string written(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json& member(const Json& object, std::string_view name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string_view text(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>()) : std::string_view();
}

std::optional<std::uint64_t> number(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::optional<double> real(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  if (!value.is_number()) return std::nullopt;
  const auto found = value.get<double>();
  return std::isfinite(found) ? std::optional(found) : std::nullopt;
}

}  // namespace kbase::opensearch
