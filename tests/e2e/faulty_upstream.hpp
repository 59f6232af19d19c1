// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/support/scripted_http_server.hpp"

namespace kbase::tests {

/// Fault of a service's responses.
enum class Fault {
  Frozen,         ///< no first byte
  Stall,          ///< silence in the middle of the body
  Truncation,     ///< the connection ends before Content-Length bytes
  ShortLength,    ///< Content-Length is smaller than the body
  NoJson,         ///< a body that does not belong to the service's API
  EndlessBody,    ///< 1 GiB
  GzipBomb,       ///< 64 MiB, compressed to 64 KiB
  Garbage,        ///< not HTTP
  HeaderFlood,    ///< response head of 1 MiB
  RedirectAway,   ///< to another host
  Reset,          ///< connection reset instead of a response
  InternalError,  ///< 500
  Busy,           ///< 503
};

/// Fake Gitea and, below /v1, fake OpenAI service with one fault in every response. If the fault is in the body, a
/// stream first sends a valid piece of text.
class FaultyUpstream {
 public:
  explicit FaultyUpstream(Fault fault);
  FaultyUpstream(Fault fault, const TlsIdentity& identity);

  std::string url(std::string_view path = {}) const { return server_.url(path); }

  /// Returns the number of requests whose path contains `part`.
  std::size_t requests(std::string_view part) const;

  /// Waits until every client has disconnected or has its response.
  void wait_until_idle() const { server_.wait_until_idle(); }

 private:
  void answer(const ReceivedRequest& request, Peer& peer) const;

  const Fault fault_;
  ScriptedHttpServer server_;
};

}  // namespace kbase::tests
