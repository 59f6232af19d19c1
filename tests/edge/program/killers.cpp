// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/program/killers.hpp"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/edge/program/caller.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Harm = std::optional<std::string>;

constexpr const char* kElsewhere = "/search?q=word";  // answered by another thread than the connection's

/// An idle server uses a few milliseconds per second. A spinning server uses all it can get, which may be less than a
/// core.
constexpr auto kSpinning = 150ms;

/// Returns the CPU time that the server uses in one second without requests.
std::chrono::milliseconds busy_in_a_second(const Victim& victim) {
  const auto before = victim.used();
  ::poll(nullptr, 0, 1000);
  return victim.used() - before;
}

Harm spinning(Victim& victim) {
  if (const Harm harm = victim.harm()) return harm;
  const auto busy = busy_in_a_second(victim);
  if (busy < kSpinning) return std::nullopt;
  return "it spins: " + std::to_string(busy.count()) + " ms of processor time in a second without work";
}

Harm chunk_end_at_the_end_of_a_read(Victim& victim) {
  constexpr std::size_t kRead = 4096;  // bytes that Pistache reads at once
  const std::string head =
      "POST /api/v1/external/llm HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\nf00\r\n";
  Caller caller(victim.port());
  // The CR after the chunk is the last byte of the first read.
  std::string bytes = head + std::string(0xf00, 'b') + "\r";
  bytes.insert(head.find("Host"), "A: " + std::string(kRead - bytes.size() - 5, 'a') + "\r\n");
  caller.send(bytes);
  caller.hears(200ms);
  caller.send("\n0\r\n\r\n");
  caller.hears(2s);
  return spinning(victim);
}

Harm slashes(Victim& victim) {
  for (const std::size_t count : {20'000U, 100'000U, 1'000'000U}) {
    Caller caller(victim.port());
    caller.send("GET /" + std::string(count, '/') + " HTTP/1.1\r\nHost: x\r\n\r\n");
    caller.hears(5s);
    if (const Harm harm = victim.harm()) return harm;
  }
  return std::nullopt;
}

/// Clients that disconnect at any moment while another thread produces the response.
Harm leaving_clients(Victim& victim) {
  const auto deadline = Clock::now() + victim.timeout();
  std::atomic<bool> harmed{false};
  std::vector<std::jthread> crowd;
  for (unsigned member = 0; member < 4; ++member) {
    crowd.emplace_back([&, member] {
      for (unsigned round = member; !harmed && Clock::now() < deadline; ++round) {
        Caller caller(victim.port());
        if (!caller.is_connected()) harmed = true;
        for (unsigned i = 0; i <= round % 4; ++i) caller.get(kElsewhere, "gone");
        if (round % 3 == 0) caller.hears(1ms);
        round % 2 == 0 ? caller.vanish() : caller.leave();
      }
    });
  }
  crowd.clear();
  return victim.harm();
}

Harm answers_of_others(Victim& victim) {
  for (int round = 0; round < 100; ++round) {
    Caller first(victim.port());
    first.get(kElsewhere, "first");
    first.hears(1ms);
    first.vanish();
    Caller second(victim.port());
    second.get("/item/a", "second");
    second.get(kElsewhere, "second");
    for (int i = 0; i < 2; ++i) {
      const auto answer = second.answer(3s);
      if (!answer) return "a client has no answer after another one left";
      if (answer->find("second") == std::string::npos) return "a client has another one's answer: " + *answer;
    }
  }
  return victim.harm();
}

/// Sends requests that other threads answer at the same time, then nothing: no later event would wake a server that
/// missed one of the responses.
Harm stalled_answers(Victim& victim) {
  const auto deadline = Clock::now() + victim.timeout();
  std::vector<Caller> callers;
  for (int i = 0; i < 8; ++i) callers.emplace_back(victim.port());
  for (int round = 0; Clock::now() < deadline; ++round) {
    const std::string id = "r" + std::to_string(round);
    for (Caller& caller : callers) caller.get(kElsewhere, id);
    for (Caller& caller : callers) {
      const auto answer = caller.answer(3s);
      if (!answer) return "an answer of round " + std::to_string(round) + " stalls";
      if (answer->find(id) == std::string::npos) return "an answer is of another request: " + *answer;
    }
  }
  return victim.harm();
}

Harm leaked_descriptors(Victim& victim) {
  constexpr std::size_t kRequests = 200;
  if (const Harm harm = victim.harm()) return harm;
  const std::size_t before = victim.descriptors();
  Caller caller(victim.port());
  for (std::size_t i = 0; i < kRequests; ++i) {
    caller.get(kElsewhere, "fd");
    if (!caller.answer(5s)) return "an answer does not come";
  }
  if (const Harm harm = victim.harm()) return harm;
  const std::size_t after = victim.descriptors();
  if (after < before + kRequests / 4) return std::nullopt;
  return std::to_string(after - before) + " descriptors more after " + std::to_string(kRequests) + " answers";
}

Harm slow_reader(Victim& victim) {
  Caller slow(victim.port(), 4096);
  slow.get("/item/big", "slow");
  slow.hears(5s);
  return spinning(victim);
}

Harm large_heads_and_bodies(Victim& victim) {
  const auto before = victim.used();
  Caller head(victim.port());
  head.send("GET /api/v1/item/a HTTP/1.1\r\nHost: x\r\nA: ");
  for (int i = 0; i < 64; ++i) head.send(std::string(65536, 'v'));
  Caller body(victim.port());
  body.send("POST /api/v1/external/llm HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n");
  if (!body.answer(5s)) return "a body of a gigabyte is awaited before it is refused";
  const auto used = victim.used() - before;
  if (used > 1500ms) return "a head of 4 MiB costs " + std::to_string(used.count()) + " ms";
  return victim.harm();
}

/// Only plain_pistache has an endpoint that throws. For kbase, the test makes mocks throw.
Harm thrown_number(Victim& victim) {
  Caller caller(victim.port());
  caller.get("/item/b", "thrown");
  caller.hears(3s);
  return victim.harm();
}

Harm unseen_methods(Victim& victim) {
  std::vector<std::jthread> crowd;
  for (const char* method : {"PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "POST", "FROB"}) {
    crowd.emplace_back([&, method] {
      Caller caller(victim.port());
      for (int i = 0; i < 20; ++i) {
        caller.get("/item/a", "method", method);
        if (!caller.answer(2s, std::string_view(method) == "HEAD")) return;
      }
    });
  }
  crowd.clear();
  return victim.harm();
}

/// A silent client (it blocks a TLS port), and a client that speaks TLS (it blocks any other port).
Harm silent_client(Victim& victim) {
  Caller silent(victim.port());
  Caller hello(victim.port());
  hello.send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  Caller next(victim.port());
  next.send("nonsense\r\n\r\n");
  if (!next.hears(3s)) return "a silent client keeps all others waiting";
  return std::nullopt;
}

Harm more_connections_than_descriptors(Victim& victim) {
  std::vector<Caller> crowd;
  do crowd.emplace_back(victim.port());
  while (crowd.back().is_connected() && crowd.size() < 1200);
  const auto busy = busy_in_a_second(victim);
  crowd.clear();
  if (busy >= kSpinning) return "it spins: " + std::to_string(busy.count()) + " ms in a second without work";
  Harm harm;
  const auto deadline = Clock::now() + 10s;
  while ((harm = victim.harm()) && Clock::now() < deadline) ::poll(nullptr, 0, 20);
  return harm;
}

}  // namespace

std::vector<Killer> killers() {
  return {
      {"AChunkEndAtTheEndOfARead", "later", chunk_end_at_the_end_of_a_read},
      {"APathOfSlashes", "later", slashes},
      {"ClientsThatLeaveDuringAnAnswer", "later", leaving_clients, true},
      {"AnAnswerToAClientThatLeft", "held", answers_of_others, true},
      {"AnswersFromAnotherThread", "later", stalled_answers, true},
      {"StreamsFromAnotherThread", "stream", leaving_clients, true},
      {"AnswersWithATimeLimit", "timed", leaked_descriptors},
      {"ASlowReader", "later", slow_reader},
      {"ALargeHead", "later", large_heads_and_bodies},
      {"AnEndpointThatThrowsANumber", "throw", thrown_number},
      {"MethodsNeverSeenBefore", "sealed", unseen_methods},
      {"ASilentClient", "tls", silent_client},
      {"MoreConnectionsThanDescriptors", "later", more_connections_than_descriptors},
  };
}

}  // namespace kbase::tests
