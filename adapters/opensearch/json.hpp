// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

/// Reads and writes what goes to and comes from OpenSearch. A member that is absent or of another type is not given.
namespace kbase::opensearch {

using Json = nlohmann::json;

/// nullopt: no JSON, or nested deeper or with more values than any answer that was asked for.
std::optional<Json> parse(std::string_view text);

/// On one line; bytes that are no UTF-8 become U+FFFD.
std::string written(const Json& value);

/// Null where there is none, so that one can look on into it.
const Json& member(const Json& object, std::string_view name);

/// A loan of the object's; empty where it is none.
std::string_view text(const Json& object, std::string_view name);
std::optional<std::uint64_t> number(const Json& object, std::string_view name);
/// Neither infinite nor NaN, which JSON can't write.
std::optional<double> real(const Json& object, std::string_view name);

}  // namespace kbase::opensearch
