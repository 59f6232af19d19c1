// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/http/problem.hpp"
#include "domain/base/result.hpp"

/// Reading of JSON in request bodies.
namespace kbase::http {

using Json = nlohmann::json;

/// Parses a body that must be an object. Returns INVALID_BODY if it is not one, or too large or too deep.
std::variant<Json, Problem> parse_object(std::string_view text);

/// Reads members of an object, ignores unknown ones, and keeps the first error. An absent member leaves `into` as it
/// is.
class MemberReader {
 public:
  /// `object` must outlive the reader.
  explicit MemberReader(const Json& object) : object_(object) {}

  void read_text(const char* name, std::optional<std::string>& into);
  /// Reads a text that must be present and not empty.
  std::string read_required_text(const char* name);
  void read_count(const char* name, std::optional<std::uint64_t>& into);
  /// Reads a number from 0 to 2.
  void read_temperature(const char* name, std::optional<double>& into);
  void read_flag(const char* name, std::optional<bool>& into);

  void set_error(const char* name, std::string_view reason);
  const std::optional<Error>& error() const { return error_; }

 private:
  const Json* find(const char* name) const;

  const Json& object_;
  std::optional<Error> error_;
};

}  // namespace kbase::http
