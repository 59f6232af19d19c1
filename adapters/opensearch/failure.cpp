// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/failure.hpp"

#include <algorithm>
#include <utility>

namespace kbase::opensearch {
namespace {

using model::ErrorCode;

constexpr std::chrono::milliseconds kRetryAfter{1000};
constexpr std::size_t kMostOfReason = 500;
constexpr const char* kNoShard = " answered 503 no_shard_available_action_exception";

/// Error code and advice to the operator for an error response.
struct Meaning {
  ErrorCode code;
  const char* advice;
};

Meaning meaning_of(const Refusal& refusal) {
  switch (refusal.status) {
    case 401:
      return {ErrorCode::Unavailable,
              "; it does not know us: set search.config.username and password, or api_key, to what it takes"};
    case 403:
      // OpenSearch blocks writes when the disk is full (cluster.routing.allocation.disk.watermark.flood_stage).
      if (refusal.type == "cluster_block_exception")
        return {ErrorCode::Unavailable, "; it takes no writes, as it does when its disk is nearly full: give it room"};
      return {ErrorCode::Unavailable,
              "; our user may not do that: give it the permissions that the manual names, for the cluster and for the "
              "indices of search.config.index"};
    case 404:
      return {ErrorCode::NotFound, ""};
    case 409:
      return {ErrorCode::Conflict, "; another process writes this index"};
    case 429:
      return {ErrorCode::Unavailable, "; it has more to do than it can: give it memory or nodes"};
    default:
      // The search reached an index that is being removed; Lucene has already closed a part of it.
      if (refusal.status == 400 && refusal.reason.ends_with("Analyzer is closed")) return {ErrorCode::NotFound, ""};
      return {refusal.status >= 500 ? ErrorCode::Unavailable : ErrorCode::Internal, ""};
  }
}

const char* message_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Conflict:
      return "Another process writes the search index.";
    case ErrorCode::NotFound:
      return "The search index does not exist.";
    case ErrorCode::Unavailable:
      return "The search index is not available now.";
    default:
      return "The search index refused the server's request.";
  }
}

}  // namespace

model::Error error_of(const Refusal& refusal, std::string_view doing) {
  const Meaning meaning = meaning_of(refusal);
  std::string detail = "OpenSearch: " + std::string(doing) + " answered " + std::to_string(refusal.status);
  if (!refusal.type.empty()) detail += " " + refusal.type;
  if (!refusal.reason.empty()) detail += ": " + refusal.reason.substr(0, kMostOfReason);
  const bool is_passing = meaning.code == ErrorCode::Unavailable;
  return {meaning.code,
          message_of(meaning.code),
          detail + meaning.advice,
          {},
          is_passing ? std::max(refusal.retry_after, kRetryAfter) : std::chrono::milliseconds(0)};
}

bool has_no_shard(const model::Error& error) {
  return error.code == ErrorCode::Unavailable && error.detail.find(kNoShard) != error.detail.npos;
}

model::Error unreachable(const model::Error& error, std::string_view doing) {
  const bool is_callers =
      error.code == ErrorCode::Deadline || error.code == ErrorCode::Cancelled || error.code == ErrorCode::NoMemory;
  if (is_callers) return error.during("OpenSearch: " + std::string(doing));
  const std::string& cause = error.detail.empty() ? error.message : error.detail;
  return {ErrorCode::Unavailable,
          "The search index is not available now.",
          "OpenSearch: " + std::string(doing) + ": " + cause +
              "; see whether it runs and search.config.url is where it answers",
          {},
          std::max(error.retry_after, kRetryAfter)};
}

model::Error nonsense(std::string detail) {
  return {ErrorCode::Unavailable,
          "The search index's answer can't be used.",
          "OpenSearch: " + std::move(detail),
          {},
          kRetryAfter};
}

model::Error no_state(std::string detail) {
  return {ErrorCode::NotFound, message_of(ErrorCode::NotFound), std::move(detail), {}, {}};
}

model::Error unpublished(model::Error error) {
  if (error.code != ErrorCode::NotFound) return error;
  return {ErrorCode::Unavailable, "The search index is being built.", std::move(error.detail), {}, kRetryAfter};
}

model::Error written_by_another(std::string detail) {
  return {ErrorCode::Conflict, message_of(ErrorCode::Conflict), std::move(detail), {}, {}};
}

model::Error nothing_to_update() {
  return {ErrorCode::Unsupported,
          "The search index holds no state that could be updated; it has to be rebuilt.",
          {},
          {},
          {}};
}

}  // namespace kbase::opensearch
