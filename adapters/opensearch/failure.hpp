// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/model/error.hpp"

namespace kbase::opensearch {

/// Error response of OpenSearch.
struct Refusal {
  std::uint32_t status = 0;
  std::string type{};    ///< OpenSearch's error type, "version_conflict_engine_exception"
  std::string reason{};  ///< OpenSearch's message, for the log
  std::chrono::milliseconds retry_after{0};
};

/// Maps OpenSearch's errors to those of ports::SearchIndex. The only such mapping. NotFound: the index or document does
/// not exist (any more). Conflict: another process writes this index. Unavailable: OpenSearch is down, full or busy, or
/// rejects the credentials. `doing`: "POST /items/_search".
model::Error error_of(const Refusal& refusal, std::string_view doing);

/// Whether the error is OpenSearch's response that no copy of the requested shard is available: it was lost with its
/// node, or will return soon.
bool has_no_shard(const model::Error& error);

/// Maps an error of the HTTP client.
model::Error unreachable(const model::Error& error, std::string_view doing);

/// Returns an Unavailable error: the response is not valid.
model::Error nonsense(std::string detail);

/// Returns a NotFound error: there is no complete state. For callers that can work without one.
model::Error no_state(std::string detail);

/// Maps NotFound to Unavailable, for callers that need a complete state. Other errors are unchanged.
model::Error unpublished(model::Error error);

/// Returns a Conflict error: another process writes this index.
model::Error written_by_another(std::string detail);

/// Returns an Unsupported error: the index has no state to update.
model::Error nothing_to_update();

}  // namespace kbase::opensearch
