// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace kbase::tests {

/// A server that speaks the Redis protocol and sends the replies of a script.
class FakeRedis {
 public:
  using Words = std::vector<std::string>;
  /// Returns the bytes of the reply, "+OK\r
  /// "; "": no reply; nullopt: closes the connection.
  using Script = std::function<std::optional<std::string>(const Words&)>;

  explicit FakeRedis(Script script);
  ~FakeRedis();
  FakeRedis(const FakeRedis&) = delete;
  FakeRedis& operator=(const FakeRedis&) = delete;

  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return "redis://" + address(); }

  /// Closes every connection and waits until they are closed.
  void end_connections();

  /// Returns the names of the received commands, in order.
  std::vector<std::string> received() const;

  /// Returns the number of received commands with that name.
  std::size_t received(const std::string& name) const;

 private:
  void accept_all();
  void converse(int socket);

  const Script script_;
  int listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> received_;
  std::list<int> open_;
  std::condition_variable closed_;
  std::vector<std::thread> conversations_;
  std::thread acceptor_;
};

/// Reply of the acquire script for an admitted request.
inline const std::string kAdmitted = "*5\r\n:1\r\n:9\r\n:60000\r\n:99\r\n:86400000\r\n";

}  // namespace kbase::tests
