// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/scripted_http_server.hpp"

namespace kbase::tests {

/// A service's response to one target.
struct Canned {
  int status = 200;
  /// Header lines without their line end, "ETag: \"1\"". "{url}" is replaced with the service's own URL.
  std::vector<std::string> fields;
  std::string body;
};

/// A code-hosting service with prepared responses. It evaluates If-None-Match and returns 404 for unknown targets.
class FakeService {
 public:
  FakeService() : server_([this](const ReceivedRequest& request, Peer& peer) { serve(request, peer); }) {}

  std::string url() const { return server_.url(""); }

  void answer(const std::string& target, Canned canned);
  void answer(const std::string& target, std::string body) { answer(target, Canned{200, {}, std::move(body)}); }

  /// Delays the responses to requests with `part` in their target until `requests` of them have arrived.
  void hold(std::string part, std::size_t requests);

  /// Returns all requests, or those with `part` in their target.
  std::vector<ReceivedRequest> received(const std::string& part = {}) const;
  std::size_t calls() const { return received().size() - forgotten_; }
  /// Resets calls() to 0.
  void forget_calls() { forgotten_ = received().size(); }

 private:
  void serve(const ReceivedRequest& request, Peer& peer);
  Canned canned_for(const std::string& target);

  std::mutex mutex_;
  std::condition_variable came_;
  std::map<std::string, Canned> answers_;
  std::string held_part_;
  std::size_t held_until_ = 0;
  std::size_t held_ = 0;
  std::size_t forgotten_ = 0;
  ScriptedHttpServer server_;  // last, because its threads use the other members
};

}  // namespace kbase::tests
