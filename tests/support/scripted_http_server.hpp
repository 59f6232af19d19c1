// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/tls_identity.hpp"

typedef struct ssl_st SSL;

namespace kbase::tests {

/// A received request. The body is read up to Content-Length.
struct ReceivedRequest {
  std::string method;
  std::string target;
  std::string head;  ///< unchanged, all lines
  std::string body;
  std::size_t connection = 0;  ///< from 1, in the order of acceptance

  /// Returns the value of a header field, "" if it is missing. `name` must be in lower case.
  std::string field(std::string_view name) const;
};

/// The server's end of a connection. Use it only on the script's thread.
class Peer {
 public:
  Peer(int socket, SSL* tls) : socket_(socket), tls_(tls) {}

  /// Sends all bytes, or fewer if the client disconnects.
  void send(std::string_view bytes);

  /// Sends "HTTP/1.1 ", then `status_and_fields` (lines separated by line ends, without the last one), then the body
  /// with its Content-Length.
  void answer(std::string_view status_and_fields, std::string_view body = {});

  /// Waits until the client closes the connection.
  void wait_until_left();

  /// Closes the connection after the script returns: close() normally, reset() with a TCP reset.
  void close() { end_ = End::Close; }
  void reset() { end_ = End::Reset; }

  enum class End { None, Close, Reset };
  End end() const { return end_; }

  /// Waits for more bytes of the client; empty: the client disconnected.
  std::string receive();

 private:
  int socket_;
  SSL* tls_;
  End end_ = End::None;
};

/// An HTTP server on its own port whose responses a test writes byte by byte. `script` is called for each request, on
/// the thread of its connection. The connection stays open for the next request unless the script closes it.
class ScriptedHttpServer {
 public:
  using Script = std::function<void(const ReceivedRequest&, Peer&)>;

  explicit ScriptedHttpServer(Script script);
  ScriptedHttpServer(Script script, const TlsIdentity& identity);
  /// Closes every connection and waits for the scripts to return.
  ~ScriptedHttpServer();
  ScriptedHttpServer(const ScriptedHttpServer&) = delete;
  ScriptedHttpServer& operator=(const ScriptedHttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// Returns "http://127.0.0.1:PORT" and the path; with TLS "https://localhost:PORT" and the path.
  std::string url(std::string_view path = "/") const;

  std::vector<ReceivedRequest> received() const;
  std::size_t connections() const { return connections_; }

  /// Waits until so many requests have arrived and returns them. There is no timeout.
  std::vector<ReceivedRequest> wait_for(std::size_t requests) const;

  /// Waits until no script is running and every client is disconnected or between two requests.
  void wait_until_idle() const;

 private:
  ScriptedHttpServer(Script script, SSL_CTX* tls);
  void accept_all();
  void serve(int socket, std::size_t number);
  void converse(Peer& peer, std::size_t number);

  const Script script_;
  SSL_CTX* const tls_;
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> connections_{0};

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<ReceivedRequest> received_;
  std::size_t under_way_ = 0;
  std::list<int> open_;
  bool stops_ = false;

  std::vector<std::thread> conversations_;  // used only by the acceptor thread
  std::thread acceptor_;
};

}  // namespace kbase::tests
