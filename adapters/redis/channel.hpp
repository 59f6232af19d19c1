// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "adapters/redis/location.hpp"
#include "domain/base/result.hpp"

struct redisReader;
namespace kbase::redis {

/// Commands in sending order, encoded as RESP.
class Commands {
 public:
  /// Words can contain any bytes; the first is the name of the command.
  void add(std::span<const std::string_view> words);
  void add(std::initializer_list<std::string_view> words) { add(std::span(words.begin(), words.size())); }
  void add(const Commands& others);

  const std::string& bytes() const { return bytes_; }
  std::size_t count() const { return count_; }

 private:
  std::string bytes_;
  std::size_t count_ = 0;
};

/// Reply of a server to one command.
struct Reply {
  enum class Kind { Nil, Text, Integer, Array, Error };

  Kind kind = Kind::Nil;
  std::int64_t integer = 0;
  std::string text;  ///< of Text and Error; an error begins with its name: "LOADING Redis is loading ..."
  std::vector<Reply> elements;

  bool is_error() const { return kind == Kind::Error; }

  /// Whether this is an error with the name `name`.
  bool is_error(std::string_view name) const {
    return is_error() && text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ' ');
  }
};

/// Parser of RESP2 replies. Not thread-safe.
class ReplyReader {
 public:
  ReplyReader();

  void feed(std::string_view bytes);

  /// Returns the next complete reply, or null if it is still incomplete. BadUpstream: the bytes are not RESP, or a
  /// reply exceeds the size limits.
  Result<std::unique_ptr<Reply>> next();

 private:
  struct Deleter {
    void operator()(redisReader* reader) const noexcept;
  };
  std::unique_ptr<std::size_t> elements_;  // array elements of the current reply; hiredis holds its address
  std::size_t bytes_ = 0;                  // received since the last complete reply
  std::unique_ptr<redisReader, Deleter> reader_;
};

/// Maps an error reply of Redis to a kbase error. The only such mapping. The message names the problem and the remedy;
/// the detail names the server and contains the text of the reply.
Error translate_error(const Endpoint& server, const Reply& reply);

/// Maps an error reply to the greeting. Such a reply can repeat a password ("ERR unknown command `AUTH`, with args
/// beginning with: ..."), so the detail contains only its first word.
Error translate_greeting_error(const Endpoint& server, const Reply& reply);

/// Returns an Unavailable error: the server cannot be reached, for a reason that the system reported.
Error unreachable_error(const Endpoint& server, std::string_view reason);

/// Returns a BadUpstream error: the reply does not fit the command.
Error unexpected_reply_error(const Endpoint& server, std::string_view command);

/// A socket address for system calls.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

/// Asynchronous lookup of the addresses of a host. The C library has no lookup that can be cancelled, so a name is
/// resolved on a separate thread; an address needs none. The destructor waits for that thread, as long as the timeouts
/// of the resolver's configuration.
class Lookup {
 public:
  explicit Lookup(const Endpoint& endpoint);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  bool is_done() const { return is_done_; }

  /// File descriptor that is readable when the lookup is done; -1 if it was done at once.
  int awaited() const { return event_descriptor_; }

  /// Result, once the lookup is done. Empty: no address; error() has the reason.
  const std::vector<SocketAddress>& addresses() const { return addresses_; }
  const std::string& error() const { return error_; }

 private:
  /// `flags`: flags of getaddrinfo.
  void resolve(int flags);
  void resolve_in_thread() noexcept;

  const Endpoint endpoint_;
  std::vector<SocketAddress> addresses_;
  std::string error_;
  std::atomic<bool> is_done_{false};
  int event_descriptor_ = -1;
  std::thread thread_;
};

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
  Result<bool> connect();

  /// Value that changes whenever connecting makes progress.
  std::uint64_t progress() const;

  /// Whether the result of the lookup, addresses or error, has been used.
  bool has_resolved() const { return stage_ != Stage::Resolving; }

  /// Return the number of bytes sent or received; 0: none possible now.
  Result<std::size_t> send(std::string_view bytes);
  Result<std::size_t> receive(std::span<char> buffer);

  /// Returns the events to wait for before the next step. `has_more`: there is data to send.
  pollfd awaited(bool has_more) const;

 private:
  enum class Stage { Resolving, Connecting, Handshake, Open };

  Result<bool> try_next_address();
  Result<bool> finish_connecting();
  Result<bool> start_tls();
  Error connection_error(std::string_view reason) const;
  void close();

  const Endpoint endpoint_;
  const std::shared_ptr<const TlsContext> context_;
  Stage stage_ = Stage::Resolving;
  const std::shared_ptr<const Lookup> lookup_;
  const std::size_t first_address_;
  std::size_t tried_addresses_ = 0;  // number of addresses tried
  std::string last_error_;           // error of the previous address
  int socket_ = -1;
  std::optional<TlsSession> tls_;
  bool wants_write_ = false;  // TLS needs a writable socket
};

}  // namespace kbase::redis
