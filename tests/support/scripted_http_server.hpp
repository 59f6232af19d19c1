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

/// A request as it came, read to its end by Content-Length.
struct HeardRequest {
  std::string method;
  std::string target;
  std::string head;  ///< all of it, as it came
  std::string body;
  std::size_t connection = 0;  ///< from 1, in the order in which they were accepted

  /// "" where there is no such field. The name in lower case.
  std::string field(std::string_view name) const;
};

/// The server's end of a connection. The script's thread.
class Peer {
 public:
  Peer(int socket, SSL* tls) : socket_(socket), tls_(tls) {}

  /// Sends every byte, or as many as the client takes before it goes.
  void send(std::string_view bytes);

  /// "HTTP/1.1 ", then `status_and_fields`, each line without its end, then the body with its length.
  void answer(std::string_view status_and_fields, std::string_view body = {});

  /// Waits until the client closes its end.
  void wait_until_left();

  /// What the script returns to, is the connection's end: in order, or with a reset.
  void close() { end_ = End::Close; }
  void reset() { end_ = End::Reset; }

  enum class End { None, Close, Reset };
  End end() const { return end_; }

  /// Waits for more of the client's bytes; empty: it left.
  std::string receive();

 private:
  int socket_;
  SSL* tls_;
  End end_ = End::None;
};

/// An HTTP server on a port of its own whose answers a test writes byte by byte: `script` is called for each request,
/// on the thread of its connection, which then stays open for the next one unless the script says otherwise.
class ScriptedHttpServer {
 public:
  using Script = std::function<void(const HeardRequest&, Peer&)>;

  explicit ScriptedHttpServer(Script script);
  ScriptedHttpServer(Script script, const TlsIdentity& identity);
  /// Ends every connection and waits for the scripts.
  ~ScriptedHttpServer();
  ScriptedHttpServer(const ScriptedHttpServer&) = delete;
  ScriptedHttpServer& operator=(const ScriptedHttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// "http://127.0.0.1:PORT" and the path; with TLS "https://localhost:PORT".
  std::string url(std::string_view path = "/") const;

  std::vector<HeardRequest> heard() const;
  std::size_t connections() const { return connections_; }

  /// Waits until so many requests came, and gives them. Nothing else ends the wait.
  std::vector<HeardRequest> wait_for(std::size_t requests) const;

  /// Waits until the script has nothing under way and every client has left or is between two requests.
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
  std::vector<HeardRequest> heard_;
  std::size_t under_way_ = 0;
  std::list<int> open_;
  bool stops_ = false;

  std::vector<std::thread> conversations_;  // the acceptor's own
  std::thread acceptor_;
};

}  // namespace kbase::tests
