// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

/// Reads and writes the JSON exchanged with OpenSearch. A member of the wrong type counts as absent.
namespace kbase::opensearch {

using Json = nlohmann::json;

/// Parses JSON. nullopt: not JSON, nested too deeply, or more values than any expected response.
std::optional<Json> parse(std::string_view text);

/// Serializes to one line. Replaces invalid UTF-8 by U+FFFD.
std::string written(const Json& value);

/// Returns a member; a null value if it is absent, so that calls can be nested.
const Json& member(const Json& object, std::string_view name);

/// Returns a view into the object; empty if the member is absent.
std::string_view text(const Json& object, std::string_view name);
std::optional<std::uint64_t> number(const Json& object, std::string_view name);
/// Returns a finite number; JSON cannot represent infinity or NaN.
std::optional<double> real(const Json& object, std::string_view name);

}  // namespace kbase::opensearch
