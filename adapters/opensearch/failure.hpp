// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/model/error.hpp"

namespace kbase::opensearch {

/// What OpenSearch answers where it does not do what it was asked.
struct Refusal {
  std::uint32_t status = 0;
  std::string type{};    ///< its name for the error, "version_conflict_engine_exception"
  std::string reason{};  ///< its sentence, for the log
  std::chrono::milliseconds retry_after{0};
};

/// The one translation of OpenSearch's errors, as ports::SearchIndex has them. NotFound: there is no such index or
/// document, or no more. Conflict: another process writes this index. Unavailable: it is down, full, busy, or refuses
/// our name. `doing`: "POST /items/_search".
model::Error error_of(const Refusal& refusal, std::string_view doing);

/// Whether it is OpenSearch's own answer that no copy of the shard that was asked for is at hand. It is lost with its
/// node, or about to come back.
bool has_no_shard(const model::Error& error);

/// What the HTTP client says of a server that is not to be had.
model::Error unreachable(const model::Error& error, std::string_view doing);

/// An answer that makes no sense.
model::Error nonsense(std::string detail);

/// There is no whole state, for those who can do without one.
model::Error no_state(std::string detail);

/// The same for those who can't, where it is that: Unavailable. Other errors stay as they are.
model::Error unpublished(model::Error error);

/// Another process writes this index.
model::Error written_by_another(std::string detail);

/// Nothing that an update could stand on.
model::Error nothing_to_update();

}  // namespace kbase::opensearch
