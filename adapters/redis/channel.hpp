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

/// Nonblocking byte stream to a server: TCP to one of the resolved addresses, and TLS if there is a context. Errors are
/// Unavailable and name the server; after an error the channel is unusable. Not thread-safe.
class Channel {
 public:
  /// Starts to connect. Tries the addresses in turn, beginning with number `first_address`. `tls` null: no TLS.
  Channel(const Endpoint& endpoint, std::shared_ptr<const Lookup> lookup, std::shared_ptr<const TlsContext> tls,
          std::size_t first_address);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Continues connecting without blocking. True: connected, bytes can be sent.
  model::Result<bool> connect();

  /// Value that changes whenever connecting makes progress.
  std::uint64_t progress() const;

  /// Whether the result of the lookup, addresses or error, has been used.
  bool has_looked_up() const { return stage_ != Stage::LookingUp; }

  /// Return the number of bytes sent or received; 0: none possible now.
  model::Result<std::size_t> send(std::string_view bytes);
  model::Result<std::size_t> receive(std::span<char> room);

  /// Returns the events to wait for before the next step. `has_more`: there is data to send.
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
  std::size_t tried_ = 0;  // number of addresses tried
  std::string refusal_;    // error of the previous address
  int socket_ = -1;
  std::optional<TlsSession> tls_;
  bool wants_write_ = false;  // TLS needs a writable socket
};

}  // namespace kbase::redis
