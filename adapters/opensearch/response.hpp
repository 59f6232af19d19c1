// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase::opensearch {

// Reading and writing of the JSON exchanged with OpenSearch. A member of the wrong type counts as absent.

using Json = nlohmann::json;

/// Parses JSON. nullopt: not JSON, nested too deeply, or more values than any expected response.
std::optional<Json> parse(std::string_view text);

/// Serializes to one line. Replaces invalid UTF-8 by U+FFFD.
std::string serialize(const Json& value);

/// Returns a member; a null value if it is absent, so that calls can be nested.
const Json& member(const Json& object, std::string_view name);

/// Returns a view into the object; empty if the member is absent.
std::string_view text(const Json& object, std::string_view name);
std::optional<std::uint64_t> number(const Json& object, std::string_view name);
/// Returns a finite number; JSON cannot represent infinity or NaN.
std::optional<double> real(const Json& object, std::string_view name);

/// Error response of OpenSearch.
struct ErrorResponse {
  std::uint32_t status = 0;
  std::string type{};    ///< OpenSearch's error type, "version_conflict_engine_exception"
  std::string reason{};  ///< OpenSearch's message, for the log
  std::chrono::milliseconds retry_after{0};
};

/// Maps OpenSearch's errors to those of ports::SearchIndex. The only such mapping. NotFound: the index or document does
/// not exist (any more). Conflict: another process writes this index. Unavailable: OpenSearch is down, full or busy, or
/// rejects the credentials. `operation`: "POST /items/_search".
Error translate_error(const ErrorResponse& error_response, std::string_view operation);

/// Whether the error is OpenSearch's response that no copy of the requested shard is available: it was lost with its
/// node, or will return soon.
bool has_no_shard(const Error& error);

/// Maps an error of the HTTP client.
Error unreachable_error(const Error& error, std::string_view operation);

/// Returns an Unavailable error: the response is not valid.
Error invalid_response(std::string detail);

/// Returns a NotFound error: there is no complete state. For callers that can work without one.
Error no_state_error(std::string detail);

/// Maps NotFound to Unavailable, for callers that need a complete state. Other errors are unchanged.
Error require_published(Error error);

/// Returns a Conflict error: another process writes this index.
Error conflict_error(std::string detail);

/// Returns an Unsupported error: the index has no state to update.
Error rebuild_required();

}  // namespace kbase::opensearch
