// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/json.hpp"

#include <algorithm>
#include <string>

#include "adapters/base/json_bounds.hpp"
#include "adapters/code_host/api.hpp"

namespace kbase::code_host {
namespace {

/// The largest response is a year of Gitea's heatmap with at most 105,120 values.
constexpr json::Bounds kBounds{.depth = 32, .values = 150'000};
constexpr std::uint64_t kMaxExactInteger = (std::uint64_t{1} << 53) - 1;

/// Parses "+02:00", "-0330" or "Z".
std::optional<std::chrono::minutes> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  std::string digits(text);
  std::erase(digits, ':');
  const bool is_signed = digits.size() == 5 && (digits[0] == '+' || digits[0] == '-');
  if (!is_signed || digits.find_first_not_of("0123456789", 1) != digits.npos) return std::nullopt;
  const std::chrono::minutes offset(std::stoi(digits.substr(1, 2)) * 60 + std::stoi(digits.substr(3)));
  return digits[0] == '-' ? -offset : offset;
}

}  // namespace

Json parse_document(const Response& response) {
  if (!json::is_within(kBounds, response.body)) return {};
  Json document = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  return document.is_discarded() ? Json() : document;
}

Result<Json> parse_object(const Response& response) {
  Json document = parse_document(response);
  if (!document.is_object()) return invalid_response("the response is not a JSON object");
  return document;
}

Result<Json> parse_objects(const Response& response, const char* list) {
  Json document = parse_document(response);
  if (list != nullptr) document = Json(find_member(document, list));
  const auto is_object = [](const Json& element) { return element.is_object(); };
  if (!document.is_array() || !std::all_of(document.begin(), document.end(), is_object))
    return invalid_response("the response is not a JSON array of objects");
  return document;
}

const Json& find_member(const Json& object, const char* name) {
  static const Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(name);
  return found == object.end() ? null : *found;
}

std::optional<std::string_view> read_text(const Json& object, const char* name) {
  const auto* const value = find_member(object, name).get_ptr<const std::string*>();
  if (value == nullptr || value->empty()) return std::nullopt;
  return *value;
}

std::optional<std::uint64_t> read_number(const Json& object, const char* name) {
  const Json& value = find_member(object, name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMaxExactInteger) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::optional<bool> read_flag(const Json& object, const char* name) {
  const Json& value = find_member(object, name);
  if (!value.is_boolean()) return std::nullopt;
  return value.get<bool>();
}

std::optional<model::Instant> read_instant(const Json& object, const char* name) {
  const auto value = read_text(object, name);
  return value ? parse_rfc3339(*value) : std::nullopt;
}

std::optional<model::Instant> parse_rfc3339(std::string_view text) {
  constexpr std::size_t kSecondsLength = 19;  // "2026-03-14T12:00:00"
  if (text.size() <= kSecondsLength) return std::nullopt;
  const auto local = model::parse_instant(std::string(text.substr(0, kSecondsLength)) + "Z");
  std::string_view rest = text.substr(kSecondsLength);
  if (rest.front() == '.') rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
  const auto offset = parse_offset(rest);
  const std::string_view year = text.substr(0, 4);
  // With its offset, the instant may be outside the calendar.
  if (!local || !offset || year == "0000" || year == "9999") return std::nullopt;
  return *local - *offset;
}

}  // namespace kbase::code_host
