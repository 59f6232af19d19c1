// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/redis/endpoint.hpp"
#include "adapters/redis/lookup.hpp"
#include "adapters/redis/tls.hpp"
#include "domain/model/result.hpp"

namespace kbase::redis {

/// A stream of bytes to a server that never blocks: TCP to one of the addresses that were looked up, and TLS where
/// there is a context. Errors are Unavailable and name the server; after one the channel is of no more use. One thread
/// at a time.
class Channel {
 public:
  /// Begins to connect, to one address after the other in turn from that of number `first_address`. No context: no TLS.
  Channel(const Endpoint& endpoint, std::shared_ptr<const Lookup> lookup, std::shared_ptr<const TlsContext> tls,
          std::size_t first_address);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Goes on connecting as far as it gets without waiting. True: bytes may be sent.
  model::Result<bool> connect();

  /// Changes whenever connecting gets on.
  std::uint64_t progress() const;

  /// Whether the look-up's outcome, good or bad, was made use of.
  bool has_looked_up() const { return stage_ != Stage::LookingUp; }

  /// How many bytes the machine took, or gave; 0: none now.
  model::Result<std::size_t> send(std::string_view bytes);
  model::Result<std::size_t> receive(std::span<char> room);

  /// What to wait for before the next step, which may have more to send.
  pollfd awaited(bool has_more) const;

 private:
  enum class Stage { LookingUp, Connecting, ShakingHands, Open };

  model::Result<bool> try_next_address();
  model::Result<bool> finish_connecting();
  model::Result<bool> start_tls();
  model::Error lost(std::string_view reason) const;
  void close();

  const Endpoint endpoint_;
  const std::shared_ptr<const TlsContext> context_;
  Stage stage_ = Stage::LookingUp;
  const std::shared_ptr<const Lookup> lookup_;
  const std::size_t first_address_;
  std::size_t tried_ = 0;  // addresses
  std::string refusal_;    // why the address before was none
  int socket_ = -1;
  std::optional<TlsSession> tls_;
  bool wants_write_ = false;  // of TLS
};

}  // namespace kbase::redis
