// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/program/attacks.hpp"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/edge/program/timed_client.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Harm = std::optional<std::string>;

constexpr const char* kOtherThreadPath = "/search?q=word";  // answered by another thread than the connection's

/// An idle server uses a few milliseconds per second. A spinning server uses all it can get, which may be less than a
/// core.
constexpr auto kSpinning = 150ms;

/// Returns the CPU time that the server uses in one second without requests.
std::chrono::milliseconds busy_in_a_second(const TargetServer& target) {
  const auto before = target.used();
  ::poll(nullptr, 0, 1000);
  return target.used() - before;
}

Harm spinning(TargetServer& target) {
  if (const Harm harm = target.harm()) return harm;
  const auto busy = busy_in_a_second(target);
  if (busy < kSpinning) return std::nullopt;
  return "it spins: " + std::to_string(busy.count()) + " ms of processor time in a second without work";
}

Harm chunk_end_at_the_end_of_a_read(TargetServer& target) {
  constexpr std::size_t kRead = 4096;  // bytes that Pistache reads at once
  const std::string head =
      "POST /api/v1/external/llm HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\nf00\r\n";
  TimedClient client(target.port());
  // The CR after the chunk is the last byte of the first read.
  std::string bytes = head + std::string(0xf00, 'b') + "\r";
  bytes.insert(head.find("Host"), "A: " + std::string(kRead - bytes.size() - 5, 'a') + "\r\n");
  client.send(bytes);
  client.wait_for_data(200ms);
  client.send("\n0\r\n\r\n");
  client.wait_for_data(2s);
  return spinning(target);
}

Harm slashes(TargetServer& target) {
  for (const std::size_t count : {20'000U, 100'000U, 1'000'000U}) {
    TimedClient client(target.port());
    client.send("GET /" + std::string(count, '/') + " HTTP/1.1\r\nHost: x\r\n\r\n");
    client.wait_for_data(5s);
    if (const Harm harm = target.harm()) return harm;
  }
  return std::nullopt;
}

/// Clients that disconnect at any moment while another thread produces the response.
Harm leaving_clients(TargetServer& target) {
  const auto deadline = Clock::now() + target.timeout();
  std::atomic<bool> failed{false};
  std::vector<std::jthread> clients;
  for (unsigned member = 0; member < 4; ++member) {
    clients.emplace_back([&, member] {
      for (unsigned round = member; !failed && Clock::now() < deadline; ++round) {
        TimedClient client(target.port());
        if (!client.is_connected()) failed = true;
        for (unsigned i = 0; i <= round % 4; ++i) client.get(kOtherThreadPath, "gone");
        if (round % 3 == 0) client.wait_for_data(1ms);
        round % 2 == 0 ? client.reset() : client.close();
      }
    });
  }
  clients.clear();
  return target.harm();
}

Harm answers_of_others(TargetServer& target) {
  for (int round = 0; round < 100; ++round) {
    TimedClient first(target.port());
    first.get(kOtherThreadPath, "first");
    first.wait_for_data(1ms);
    first.reset();
    TimedClient second(target.port());
    second.get("/item/a", "second");
    second.get(kOtherThreadPath, "second");
    for (int i = 0; i < 2; ++i) {
      const auto answer = second.answer(3s);
      if (!answer) return "a client has no answer after another one left";
      if (answer->find("second") == std::string::npos) return "a client has another one's answer: " + *answer;
    }
  }
  return target.harm();
}

/// Sends requests that other threads answer at the same time, then nothing: no later event would wake a server that
/// missed one of the responses.
Harm stalled_answers(TargetServer& target) {
  const auto deadline = Clock::now() + target.timeout();
  std::vector<TimedClient> clients;
  for (int i = 0; i < 8; ++i) clients.emplace_back(target.port());
  for (int round = 0; Clock::now() < deadline; ++round) {
    const std::string id = "r" + std::to_string(round);
    for (TimedClient& client : clients) client.get(kOtherThreadPath, id);
    for (TimedClient& client : clients) {
      const auto answer = client.answer(3s);
      if (!answer) return "an answer of round " + std::to_string(round) + " stalls";
      if (answer->find(id) == std::string::npos) return "an answer is of another request: " + *answer;
    }
  }
  return target.harm();
}

Harm leaked_descriptors(TargetServer& target) {
  constexpr std::size_t kRequests = 200;
  if (const Harm harm = target.harm()) return harm;
  const std::size_t before = target.descriptors();
  TimedClient client(target.port());
  for (std::size_t i = 0; i < kRequests; ++i) {
    client.get(kOtherThreadPath, "fd");
    if (!client.answer(5s)) return "an answer does not come";
  }
  if (const Harm harm = target.harm()) return harm;
  const std::size_t after = target.descriptors();
  if (after < before + kRequests / 4) return std::nullopt;
  return std::to_string(after - before) + " descriptors more after " + std::to_string(kRequests) + " answers";
}

Harm slow_reader(TargetServer& target) {
  TimedClient slow(target.port(), 4096);
  slow.get("/item/big", "slow");
  slow.wait_for_data(5s);
  return spinning(target);
}

Harm large_heads_and_bodies(TargetServer& target) {
  const auto before = target.used();
  TimedClient head(target.port());
  head.send("GET /api/v1/item/a HTTP/1.1\r\nHost: x\r\nA: ");
  for (int i = 0; i < 64; ++i) head.send(std::string(65536, 'v'));
  TimedClient body(target.port());
  body.send("POST /api/v1/external/llm HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n");
  if (!body.answer(5s)) return "a body of a gigabyte is awaited before it is refused";
  const auto used = target.used() - before;
  if (used > 1500ms) return "a head of 4 MiB costs " + std::to_string(used.count()) + " ms";
  return target.harm();
}

/// Only plain_pistache has an endpoint that throws. For kbase, the test makes mocks throw.
Harm thrown_number(TargetServer& target) {
  TimedClient client(target.port());
  client.get("/item/b", "thrown");
  client.wait_for_data(3s);
  return target.harm();
}

Harm unseen_methods(TargetServer& target) {
  std::vector<std::jthread> clients;
  for (const char* method : {"PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "POST", "FROB"}) {
    clients.emplace_back([&, method] {
      TimedClient client(target.port());
      for (int i = 0; i < 20; ++i) {
        client.get("/item/a", "method", method);
        if (!client.answer(2s, std::string_view(method) == "HEAD")) return;
      }
    });
  }
  clients.clear();
  return target.harm();
}

/// A silent client (it blocks a TLS port), and a client that speaks TLS (it blocks any other port).
Harm silent_client(TargetServer& target) {
  TimedClient silent(target.port());
  TimedClient hello(target.port());
  hello.send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  TimedClient next(target.port());
  next.send("nonsense\r\n\r\n");
  if (!next.wait_for_data(3s)) return "a silent client keeps all others waiting";
  return std::nullopt;
}

Harm more_connections_than_descriptors(TargetServer& target) {
  std::vector<TimedClient> clients;
  do clients.emplace_back(target.port());
  while (clients.back().is_connected() && clients.size() < 1200);
  const auto busy = busy_in_a_second(target);
  clients.clear();
  if (busy >= kSpinning) return "it spins: " + std::to_string(busy.count()) + " ms in a second without work";
  Harm harm;
  const auto deadline = Clock::now() + 10s;
  while ((harm = target.harm()) && Clock::now() < deadline) ::poll(nullptr, 0, 20);
  return harm;
}

}  // namespace

std::vector<Attack> attacks() {
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
