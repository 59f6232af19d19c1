// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "tests/edge/program/timed_client.hpp"

namespace kbase::tests {

/// Results of many load clients. Thread-safe.
class LoadReport {
 public:
  void count(std::uint64_t answers) { answers_ += answers; }
  void fault(const std::string& text);

  std::uint64_t answers() const { return answers_; }
  /// Returns the first few errors; empty if there were none.
  std::vector<std::string> faults() const;

 private:
  std::atomic<std::uint64_t> answers_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> faults_;
};

/// Load client. Sends GET requests for items, searches and missing items, HEAD, and POST with either body framing;
/// singly or pipelined, in one write or many; it closes connections at random. Every request has its own id and a
/// random item. Its response must match both and arrive within ten seconds.
class LoadClient {
 public:
  /// The server must have the items i0 to i999, whose content is "text of " and their id.
  LoadClient(std::uint16_t port, unsigned number, LoadReport& report)
      : port_(port), number_(number), random_(number), report_(report) {}

  /// Sends `requests` requests; stops at the first error.
  void run(std::uint64_t requests);

 private:
  struct LoadRequest {
    std::string bytes;
    std::string id;
    std::string status;  ///< substring expected in the status line
    std::string body;    ///< substring expected in the body
    bool to_head = false;
    bool closes = false;
  };

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  LoadRequest load_request();
  std::vector<LoadRequest> load_requests();
  void send(TimedClient& client, const std::string& bytes);
  bool converse(TimedClient& client);
  bool check_response(TimedClient& client, const LoadRequest& load_request);

  const std::uint16_t port_;
  const unsigned number_;
  std::mt19937 random_;
  LoadReport& report_;
  std::uint64_t sent_ = 0;
};

}  // namespace kbase::tests
