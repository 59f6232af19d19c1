// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/code_host/response.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"

/// Readers for the JSON of services. A member that is absent, null, empty text or of another type counts as not given.
namespace kbase::code_host {

using Json = nlohmann::json;

/// Returns null if the body is not JSON, or is nested deeper or has more values than any valid response.
Json parse_document(const Response& response);

/// BadUpstream: the body is no JSON object.
Result<Json> parse_object(const Response& response);

/// Returns the array that is the body, or that is its member `list`. BadUpstream: there is no such array, or an element
/// is not an object.
Result<Json> parse_objects(const Response& response, const char* list = nullptr);

/// Returns null if there is no such member, so that calls can be nested.
const Json& find_member(const Json& object, const char* name);

/// The text is a view of `object`.
std::optional<std::string_view> read_text(const Json& object, const char* name);
/// Returns nullopt above 2^53 - 1, the largest integer that every JSON reader represents exactly.
std::optional<std::uint64_t> read_number(const Json& object, const char* name);
std::optional<bool> read_flag(const Json& object, const char* name);
std::optional<model::Instant> read_instant(const Json& object, const char* name);

/// Parses an instant of RFC 3339 with any fraction of a second and any offset. Keeps whole seconds.
std::optional<model::Instant> parse_rfc3339(std::string_view text);

}  // namespace kbase::code_host
