// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/code_host/answer.hpp"
#include "domain/model/day.hpp"
#include "domain/model/result.hpp"

/// Reads what services write. A member that is null, absent, of another type or an empty text is not given.
namespace kbase::code_host {

using Json = nlohmann::json;

/// Null where the body is no JSON, or is nested deeper or has more values than any answer.
Json document_of(const Answer& answer);

/// BadUpstream: the body is no JSON object.
model::Result<Json> object_of(const Answer& answer);

/// The array that the body is, or that its member `list` is. BadUpstream: it is none, or has other things than objects.
model::Result<Json> objects_of(const Answer& answer, const char* list = nullptr);

/// Null where there is none, so that one can look on into it.
const Json& member(const Json& object, const char* name);

/// A loan of the object's.
std::optional<std::string_view> text(const Json& object, const char* name);
/// Up to 2^53 - 1, the largest that every reader of JSON keeps exact.
std::optional<std::uint64_t> number(const Json& object, const char* name);
std::optional<bool> flag(const Json& object, const char* name);
std::optional<model::Instant> instant(const Json& object, const char* name);

/// An instant as RFC 3339 writes it: any fraction of a second, any offset.
std::optional<model::Instant> parse_rfc3339(std::string_view text);

}  // namespace kbase::code_host
