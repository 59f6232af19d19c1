// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "tests/edge/program/caller.hpp"

namespace kbase::tests {

/// What a crowd of clients has seen. Any thread.
class LoadReport {
 public:
  void count(std::uint64_t answers) { answers_ += answers; }
  void fault(const std::string& text);

  std::uint64_t answers() const { return answers_; }
  /// What was wrong, the first few; empty: nothing.
  std::vector<std::string> faults() const;

 private:
  std::atomic<std::uint64_t> answers_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> faults_;
};

/// One client of a crowd: asks for items, searches, things that are not there, HEAD, POST with either framing, one by
/// one or pipelined, in one write or many, over connections that it leaves at random. Every request has an id of its
/// own, and an item of its own choice, and the answer has to be that one's, within ten seconds.
class LoadClient {
 public:
  /// The server knows the items i0 to i999, whose content is "text of " and their id.
  LoadClient(std::uint16_t port, unsigned number, LoadReport& report)
      : port_(port), number_(number), random_(number), report_(report) {}

  /// Makes so many requests, or stops at the first fault.
  void run(std::uint64_t requests);

 private:
  struct Question {
    std::string bytes;
    std::string id;
    std::string status;  ///< what the status line may have
    std::string body;    ///< what the body has
    bool to_head = false;
    bool closes = false;
  };

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  Question question();
  std::vector<Question> questions();
  void send(Caller& caller, const std::string& bytes);
  bool converse(Caller& caller);
  bool hear(Caller& caller, const Question& question);

  const std::uint16_t port_;
  const unsigned number_;
  std::mt19937 random_;
  LoadReport& report_;
  std::uint64_t asked_ = 0;
};

}  // namespace kbase::tests
