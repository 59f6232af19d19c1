// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/opensearch/json.hpp"
#include "adapters/opensearch/options.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::opensearch {

/// What OpenSearch is asked.
struct Request {
  enum class Body { Value, Lines };  ///< lines: JSON values, each ended by a line feed

  std::string method = "POST";
  std::string path;  ///< and query, below the URL
  std::string body{};
  Body type = Body::Value;
  /// How often it is sent at most, where OpenSearch has no room for it or no copy of the index at hand: 13 seconds of
  /// waiting in all, if there is that much time.
  int attempts = 8;
  /// Whether it does no harm to be done twice. Then it is sent again too where nobody knows what became of it:
  /// OpenSearch was not reached, went away, or was too slow for the client.
  bool is_repeatable = false;
};

/// Of what somebody waits for: an index that makes room for another is away for a moment, as is one whose node went.
inline constexpr int kAttemptsOfReading = 3;

/// OpenSearch's REST interface. Requests that it has no room for (429) or no index at hand (503) are sent again, ever
/// later and not before it or the client asks for, as long as the call lasts and not more than some times: it did
/// nothing of them. Any thread.
class Server {
 public:
  /// InvalidArgument: a URL or credentials that can't be sent. `http` null: none is lent, and every call fails with
  /// Unavailable. What is lent outlives it.
  static model::Result<std::unique_ptr<Server>> make(ports::HttpClient* http, const ports::Clock& clock,
                                                     const Options& options);

  /// Waits for the answer. Errors: those of error_of() and unreachable(); Unsupported: it is no OpenSearch that this
  /// adapter knows.
  model::Result<Json> ask(ports::Call& call, const Request& request) const;

  /// How long to wait before a failed request is sent again at the earliest; nullopt: that is no use.
  using Again = std::optional<std::chrono::milliseconds>;

  /// A request under way, with which other work can be done meanwhile.
  class Pending {
   public:
    Pending(const Server& server, ports::Call& call, Request request);

    /// As ask().
    model::Result<Json> wait();

   private:
    friend class Server;

    void send();

    const Server& server_;
    ports::Call& call_;
    const Request request_;
    std::unique_ptr<ports::HttpExchange> exchange_;  // null: `failure_` says why
    model::Error failure_;
    Again again_;
  };

  /// Begins without waiting. The call and the server outlive what is returned.
  std::unique_ptr<Pending> begin(ports::Call& call, Request request) const;

  /// Waits while nobody has to be answered. Deadline, Cancelled: the call ended first.
  model::Status pause(const ports::Call& call, std::chrono::milliseconds length) const;

 private:
  Server(ports::HttpClient* http, const ports::Clock& clock) : http_(http), clock_(clock) {}

  model::Result<std::unique_ptr<ports::HttpExchange>> send(ports::Call& call, const Request& request,
                                                           Again& again) const;
  model::Result<Json> receive(ports::Call& call, ports::HttpExchange& exchange, const Request& request,
                              Again& again) const;
  model::Error lost(const ports::Call& call, const model::Error& error, const Request& request, Again& again) const;
  model::Status check_version(ports::Call& call, bool is_repeatable, Again& again) const;

  ports::HttpClient* const http_;
  const ports::Clock& clock_;
  std::string url_;
  std::string authorization_;  // the field's value; empty: none is sent
  mutable std::atomic<bool> version_is_known_{false};
};

}  // namespace kbase::opensearch
