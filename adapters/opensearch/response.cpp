// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/response.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "adapters/base/json_bounds.hpp"

namespace kbase::opensearch {
namespace {

/// The longest responses are those to bulk requests, with a few values for each of some thousand documents.
constexpr json::Bounds kBounds{.depth = 64, .values = 200'000};

constexpr std::chrono::milliseconds kRetryAfter{1000};
constexpr std::size_t kMaxReasonBytes = 500;
constexpr const char* kNoShard = " returned 503 no_shard_available_action_exception";

/// Error code and advice to the operator for an error response.
struct ErrorMapping {
  ErrorCode code;
  const char* advice;
};

ErrorMapping map_error(const ErrorResponse& error_response) {
  switch (error_response.status) {
    case 401:
      return {ErrorCode::Unavailable,
              "; the credentials are not valid; set search.config.username and password, or api_key"};
    case 403:
      // OpenSearch blocks writes when the disk is full (cluster.routing.allocation.disk.watermark.flood_stage).
      if (error_response.type == "cluster_block_exception")
        return {ErrorCode::Unavailable,
                "; writes are blocked, usually because the disk is nearly full; free disk space"};
      return {ErrorCode::Unavailable,
              "; the user lacks a permission; grant it the permissions listed in the manual, for the cluster and for "
              "the indices of search.config.index"};
    case 404: return {ErrorCode::NotFound, ""};
    case 409: return {ErrorCode::Conflict, "; another process is writing this index"};
    case 429: return {ErrorCode::Unavailable, "; it is overloaded; add memory or nodes"};
    default:
      // The search reached an index that is being removed; Lucene has already closed a part of it.
      if (error_response.status == 400 && error_response.reason.ends_with("Analyzer is closed"))
        return {ErrorCode::NotFound, ""};
      return {error_response.status >= 500 ? ErrorCode::Unavailable : ErrorCode::Internal, ""};
  }
}

const char* message_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Conflict: return "Another process is writing the search index.";
    case ErrorCode::NotFound: return "The search index does not exist.";
    case ErrorCode::Unavailable: return "The search index is currently unavailable.";
    default: return "The search index rejected a request of this server.";
  }
}

}  // namespace

std::optional<Json> parse(std::string_view text) {
  if (!json::is_within(kBounds, text)) return std::nullopt;
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::string serialize(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

const Json& member(const Json& object, std::string_view name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string_view text(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>()) : std::string_view();
}

std::optional<std::uint64_t> number(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::optional<double> real(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  if (!value.is_number()) return std::nullopt;
  const auto found = value.get<double>();
  return std::isfinite(found) ? std::optional(found) : std::nullopt;
}

Error translate_error(const ErrorResponse& error_response, std::string_view operation) {
  const ErrorMapping mapping = map_error(error_response);
  std::string detail = "OpenSearch: " + std::string(operation) + " returned " + std::to_string(error_response.status);
  if (!error_response.type.empty()) detail += " " + error_response.type;
  if (!error_response.reason.empty()) detail += ": " + error_response.reason.substr(0, kMaxReasonBytes);
  const bool is_temporary = mapping.code == ErrorCode::Unavailable;
  return {mapping.code,
          message_of(mapping.code),
          detail + mapping.advice,
          {},
          is_temporary ? std::max(error_response.retry_after, kRetryAfter) : std::chrono::milliseconds(0)};
}

bool has_no_shard(const Error& error) {
  return error.code == ErrorCode::Unavailable && error.detail.find(kNoShard) != error.detail.npos;
}

Error unreachable_error(const Error& error, std::string_view operation) {
  const bool is_caller_limit =
      error.code == ErrorCode::Deadline || error.code == ErrorCode::Cancelled || error.code == ErrorCode::NoMemory;
  if (is_caller_limit) return error.during("OpenSearch: " + std::string(operation));
  const std::string& cause = error.detail.empty() ? error.message : error.detail;
  return {ErrorCode::Unavailable,
          "The search index is currently unavailable.",
          "OpenSearch: " + std::string(operation) + ": " + cause +
              "; check that OpenSearch is running and that search.config.url is its URL",
          {},
          std::max(error.retry_after, kRetryAfter)};
}

Error invalid_response(std::string detail) {
  return {ErrorCode::Unavailable,
          "The search index sent an invalid response.",
          "OpenSearch: " + std::move(detail),
          {},
          kRetryAfter};
}

Error no_state_error(std::string detail) {
  return {ErrorCode::NotFound, message_of(ErrorCode::NotFound), std::move(detail)};
}

Error require_published(Error error) {
  if (error.code != ErrorCode::NotFound) return error;
  return {ErrorCode::Unavailable, "The search index is being built.", std::move(error.detail), {}, kRetryAfter};
}

Error conflict_error(std::string detail) {
  return {ErrorCode::Conflict, message_of(ErrorCode::Conflict), std::move(detail)};
}

Error rebuild_required() {
  return {ErrorCode::Unsupported, "The search index has no state to update; it must be rebuilt."};
}

}  // namespace kbase::opensearch
