// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/client.hpp"

namespace kbase::tests {

/// Empty where it is not set.
std::string variable(const char* name);

/// A TCP proxy before a real server, of the Toxiproxy that KBASE_TEST_TOXIPROXY_URL names: what comes back over it can
/// be made slow, or to break. One thread.
class ToxicLine {
 public:
  /// To the server at "http://HOST:PORT".
  explicit ToxicLine(const std::string& server_url);
  ~ToxicLine();
  ToxicLine(const ToxicLine&) = delete;
  ToxicLine& operator=(const ToxicLine&) = delete;

  const std::string& url() const { return url_; }

  /// Also on the connections that there are: "latency" (latency, jitter: ms), "bandwidth" (rate: KB/s), "timeout"
  /// (nothing passes; after so many ms it closes, 0: never), "reset_peer" (timeout: ms), "slicer" (average_size, delay:
  /// µs), "limit_data" (closes after so many bytes).
  void add(const std::string& type, const nlohmann::json& attributes);

  /// Ends all connections, and refuses them until it goes up.
  void go(bool up);

 private:
  nlohmann::json command(const std::string& method, const std::string& target, const nlohmann::json& body);

  Client toxiproxy_;
  std::string name_;
  std::string url_;
};

/// The events of a stream as kbase writes it, without comments.
struct StreamEvent {
  std::string name;
  nlohmann::json data;
};
std::vector<StreamEvent> events_of(const std::string& body);

/// The text of all its `delta` events.
std::string text_of(const std::vector<StreamEvent>& events);

}  // namespace kbase::tests
