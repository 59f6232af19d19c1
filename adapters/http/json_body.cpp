// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/json_body.hpp"

#include <cmath>

#include "adapters/base/json.hpp"

namespace kbase::http {
namespace {

/// Far above what a valid request contains.
constexpr json::Bounds kBounds{.depth = 64, .values = 10'000};
constexpr double kMaxTemperature = 2.0;
constexpr std::uint64_t kMaxExactInteger =
    (std::uint64_t{1} << 53U) - 1;  // largest integer that a double represents exactly

}  // namespace

std::variant<Json, Problem> parse_object(std::string_view text) {
  if (!json::is_within(kBounds, text))
    return make_invalid_body("The body has more than " + std::to_string(kBounds.values) + " values or more than " +
                             std::to_string(kBounds.depth) + " levels of nesting.");
  try {
    Json parsed = Json::parse(text);
    if (!parsed.is_object()) return make_invalid_body("The body must be a JSON object.");
    return parsed;
  } catch (const Json::out_of_range&) {
    return make_invalid_body("The body has a number that is too large.");
  } catch (const Json::parse_error&) {
    return make_invalid_body("The body is not JSON.");
  }
}

const Json* MemberReader::find(const char* name) const {
  const auto member = object_.find(name);
  return member != object_.end() ? &*member : nullptr;
}

void MemberReader::read_text(const char* name, std::optional<std::string>& into) {
  const Json* member = find(name);
  if (member == nullptr) return;
  if (!member->is_string()) return set_error(name, "must be a string");
  into = member->get<std::string>();
}

std::string MemberReader::read_required_text(const char* name) {
  std::optional<std::string> text;
  read_text(name, text);
  if (!text || text->empty()) set_error(name, "is required and must not be empty");
  return std::move(text).value_or(std::string());
}

void MemberReader::read_count(const char* name, std::optional<std::uint64_t>& into) {
  const Json* member = find(name);
  if (member == nullptr) return;
  // JSON Schema treats 5.0 as an integer.
  const double value = member->is_number() ? member->get<double>() : 0.0;
  if (!(value >= 1.0 && value <= static_cast<double>(kMaxExactInteger) && value == std::floor(value)))
    return set_error(name, "must be a whole number from 1 to " + std::to_string(kMaxExactInteger));
  into = static_cast<std::uint64_t>(value);
}

void MemberReader::read_temperature(const char* name, std::optional<double>& into) {
  const Json* member = find(name);
  if (member == nullptr) return;
  const double value = member->is_number() ? member->get<double>() : -1.0;
  if (!(value >= 0.0 && value <= kMaxTemperature)) return set_error(name, "must be a number from 0 to 2");
  into = value;
}

void MemberReader::read_flag(const char* name, std::optional<bool>& into) {
  const Json* member = find(name);
  if (member == nullptr) return;
  if (!member->is_boolean()) return set_error(name, "must be true or false");
  into = member->get<bool>();
}

void MemberReader::set_error(const char* name, std::string_view reason) {
  if (!error_) error_ = invalid_argument(name, std::string(name) + " " + std::string(reason));
}

}  // namespace kbase::http
