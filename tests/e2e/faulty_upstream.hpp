// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/support/scripted_http_server.hpp"

namespace kbase::tests {

/// What is wrong with the answers of a service.
enum class Fault {
  Frozen,         ///< never a first byte
  Stall,          ///< silence in the middle of the body
  Truncation,     ///< the connection ends before the length that was named
  ShortLength,    ///< the length that was named is less than the body has
  NoJson,         ///< a body that the service's interface does not know
  EndlessBody,    ///< 1 GiB
  GzipBomb,       ///< 64 MiB, packed into 64 KiB
  Garbage,        ///< no HTTP
  HeaderFlood,    ///< a head of 1 MiB
  RedirectAway,   ///< to another host
  Reset,          ///< the connection, in place of an answer
  InternalError,  ///< 500
  Busy,           ///< 503
};

/// A service like Gitea and, below /v1, like OpenAI, whose every answer has the same fault. Where that is one of the
/// body, a stream begins well with a piece of text.
class FaultyUpstream {
 public:
  explicit FaultyUpstream(Fault fault);
  FaultyUpstream(Fault fault, const TlsIdentity& identity);

  std::string url(std::string_view path = {}) const { return server_.url(path); }

  /// How many requests came for paths with this part.
  std::size_t requests(std::string_view part) const;

  /// Waits until every client has left or has its answer.
  void wait_until_idle() const { server_.wait_until_idle(); }

 private:
  void answer(const HeardRequest& request, Peer& peer) const;

  const Fault fault_;
  ScriptedHttpServer server_;
};

}  // namespace kbase::tests
