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

/// What a service answers to one target.
struct Canned {
  int status = 200;
  /// Lines without their end, "ETag: \"1\"". "{url}" stands for the service's own URL.
  std::vector<std::string> fields;
  std::string body;
};

/// A code-hosting service of canned answers. It knows If-None-Match; what it has no answer for is a 404.
class FakeService {
 public:
  FakeService() : server_([this](const HeardRequest& request, Peer& peer) { serve(request, peer); }) {}

  std::string url() const { return server_.url(""); }

  void answer(const std::string& target, Canned canned);
  void answer(const std::string& target, std::string body) { answer(target, Canned{200, {}, std::move(body)}); }

  /// Nothing that has `part` in its target is answered before so many such requests have come.
  void hold(std::string part, std::size_t requests);

  /// All requests, or those that have `part` in their target.
  std::vector<HeardRequest> heard(const std::string& part = {}) const;
  std::size_t calls() const { return heard().size() - forgotten_; }
  /// Counts from now on.
  void forget_calls() { forgotten_ = heard().size(); }

 private:
  void serve(const HeardRequest& request, Peer& peer);
  Canned canned_for(const std::string& target);

  std::mutex mutex_;
  std::condition_variable came_;
  std::map<std::string, Canned> answers_;
  std::string held_part_;
  std::size_t held_until_ = 0;
  std::size_t held_ = 0;
  std::size_t forgotten_ = 0;
  ScriptedHttpServer server_;  // last: its threads use the rest
};

}  // namespace kbase::tests
