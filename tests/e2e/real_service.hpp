// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/client.hpp"

namespace kbase::tests {

/// Returns an environment variable; empty if it is not set.
std::string variable(const char* name);

/// TCP proxy in front of a real server, run by the Toxiproxy at KBASE_TEST_TOXIPROXY_URL. It can delay or break the
/// data from the server. Not thread-safe.
class FaultyConnection {
 public:
  /// `server_url` is "http://HOST:PORT".
  explicit FaultyConnection(const std::string& server_url);
  ~FaultyConnection();
  FaultyConnection(const FaultyConnection&) = delete;
  FaultyConnection& operator=(const FaultyConnection&) = delete;

  const std::string& url() const { return url_; }

  /// Adds a toxic, which also affects open connections: "latency" (latency, jitter: ms), "bandwidth" (rate: KB/s),
  /// "timeout" (nothing passes; closes after that many ms, 0: never), "reset_peer" (timeout: ms), "slicer"
  /// (average_size, delay: µs), "limit_data" (closes after that many bytes).
  void add(const std::string& type, const nlohmann::json& attributes);

  /// false ends all connections and refuses new ones; true accepts connections again.
  void go(bool up);

 private:
  nlohmann::json command(const std::string& method, const std::string& target, const nlohmann::json& body);

  Client toxiproxy_;
  std::string name_;
  std::string url_;
};

/// Event of a kbase stream.
struct StreamEvent {
  std::string name;
  nlohmann::json data;
};
std::vector<StreamEvent> events_of(const std::string& body);

/// Returns the concatenated text of all `delta` events.
std::string text_of(const std::vector<StreamEvent>& events);

}  // namespace kbase::tests
