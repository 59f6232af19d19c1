// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::opensearch {

struct Options {
  /// URL of OpenSearch, with a path if a proxy serves it below one. Its data can be rebuilt at any time.
  std::string url = "http://127.0.0.1:9200";

  /// User and password of the security plugin. Empty: no credentials are sent.
  std::string username;
  std::string password;

  /// API key of a hosted service, sent as `Authorization: ApiKey ...` instead. Empty: none is sent.
  std::string api_key;

  /// Prefix of all index names; instances that share an OpenSearch need different ones. Lower case letters, digits,
  /// `-`, `_` and `.`, as OpenSearch requires.
  std::string index = "kbase-items";

  /// Language of the stemmer: `auto` (detected per item), `none` (no stemming) or an ISO 639-1 code. A different
  /// language uses a different index, which is built while the old one stays in use.
  std::string language = "auto";

  /// Number of replicas of the index. Absent: one, if there is a second node.
  std::optional<std::uint32_t> replicas;

  /// Size of a request in bytes. Larger is faster up to some megabytes and uses more of OpenSearch's memory. A larger
  /// item is sent alone.
  std::size_t bulk_bytes = std::size_t{2} << 20;

  /// Folder of the unnamed file that stores a batch until its commit. Created with the first batch.
  std::filesystem::path spool = std::filesystem::temp_directory_path();
};

/// A request to OpenSearch.
struct Request {
  enum class Body { Value, JsonLines };  ///< JsonLines: JSON values, each followed by a line feed

  std::string method = "POST";
  std::string path;  ///< path and query, relative to the URL
  std::string body{};
  Body type = Body::Value;
  /// Maximum number of attempts if OpenSearch is overloaded or has no copy of the index available. With the default the
  /// pauses add up to 13 seconds, if the call lasts that long.
  int attempts = 8;
  /// Whether the request is idempotent. Then it is also sent again if its outcome is unknown: OpenSearch was
  /// unreachable, closed the connection, or exceeded the client's timeout.
  bool is_repeatable = false;
};

/// Attempts of requests that a client waits for: an index that is being replaced, or whose node was lost, is
/// unavailable for a moment.
inline constexpr int kReadAttempts = 3;

// Reading and writing of the JSON exchanged with OpenSearch. A member of the wrong type counts as absent.

using Json = nlohmann::json;

/// Client of OpenSearch's REST interface. Requests rejected as overloaded (429) or without an available index (503)
/// were not executed, so they are sent again, with growing pauses and not before the time that OpenSearch requests,
/// until the call ends or the attempts are used up. Thread-safe.
class Server {
 public:
  /// InvalidArgument: the URL or the credentials are not valid. `http` null: every call fails with Unavailable. `http`
  /// and `clock` must outlive the server.
  static Result<std::unique_ptr<Server>> make(ports::HttpClient* http, const ports::Clock& clock,
                                              const Options& options);

  /// Sends a request and waits for the response. Errors: those of translate_error() and unreachable(). Unsupported: not
  /// an OpenSearch, or an unsupported version.
  Result<Json> execute(ports::Call& call, const Request& request) const;

  /// Minimum pause before a failed request is sent again; nullopt: do not send it again.
  using RetryDelay = std::optional<std::chrono::milliseconds>;

  /// A request in progress; the caller can do other work in the meantime.
  class PendingRequest {
   public:
    PendingRequest(const Server& server, ports::Call& call, Request request);

    /// Waits for the response. Errors: see ask().
    Result<Json> wait();

   private:
    friend class Server;

    void send();

    const Server& server_;
    ports::Call& call_;
    const Request request_;
    std::unique_ptr<ports::HttpExchange> exchange_;  // null: failed with `error_`
    Error error_;
    RetryDelay retry_delay_;
  };

  /// Sends a request without waiting. The call and the server must outlive the result.
  std::unique_ptr<PendingRequest> begin(ports::Call& call, Request request) const;

  /// Sleeps for `length`. Deadline, Cancelled: the call ended first.
  Status pause(const ports::Call& call, std::chrono::milliseconds length) const;

 private:
  Server(ports::HttpClient* http, const ports::Clock& clock) : http_(http), clock_(clock) {}

  Result<std::unique_ptr<ports::HttpExchange>> send(ports::Call& call, const Request& request,
                                                    RetryDelay& retry_delay) const;
  Result<Json> receive(ports::Call& call, ports::HttpExchange& exchange, const Request& request,
                       RetryDelay& retry_delay) const;
  Error translate_client_error(const ports::Call& call, const Error& error, const Request& request,
                               RetryDelay& retry_delay) const;
  Status check_version(ports::Call& call, bool is_repeatable, RetryDelay& retry_delay) const;

  ports::HttpClient* const http_;
  const ports::Clock& clock_;
  std::string url_;
  std::string authorization_;  // value of the field; empty: not sent
  mutable std::atomic<bool> is_version_checked_{false};
};

/// Parses JSON. nullopt: not JSON, nested too deeply, or more values than any expected response.
std::optional<Json> parse(std::string_view text);

/// Serializes to one line. Replaces invalid UTF-8 by U+FFFD.
std::string serialize(const Json& value);

/// Returns a member; a null value if it is absent, so that calls can be nested.
const Json& member(const Json& object, std::string_view name);

/// Returns a view into the object; empty if the member is absent.
std::string_view text(const Json& object, std::string_view name);
/// Returns the strings of an array.
std::vector<std::string_view> texts(const Json& object, std::string_view name);
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
