// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/faulty_upstream.hpp"

#include <algorithm>

#include "tests/support/gzip.hpp"

namespace kbase::tests {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr std::size_t kGiB = kMiB << 10U;

/// Correct body, and the number of its bytes that are sent before the fault.
struct Body {
  std::string type;
  std::string text;
  std::size_t good_bytes = 0;
};

/// Body whose second half is missing or wrong.
Body halved(const std::string& text) { return {"application/json", text, text.size() / 2}; }

std::string event(const std::string& text, const std::string& reason) {
  return R"(data: {"id": "1", "object": "chat.completion.chunk", "model": "small", "choices": [{"index": 0, )"
         R"("delta": {"content": ")" +
         text + R"("}, "finish_reason": )" + reason + "}]}\n\n";
}

Body body_for(const ReceivedRequest& request) {
  if (request.method != "POST") return halved(R"({"id": 7, "login": "ada", "visibility": "public"})");
  if (request.body.find("\"stream\":true") == std::string::npos)
    return halved(R"({"id": "1", "object": "chat.completion", "model": "small", "choices": [{"index": 0, "message":
      {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1,
      "completion_tokens": 2, "total_tokens": 3}})");
  const std::string first = event("Hello", "null");
  return {"text/event-stream", first + event(".", "\"stop\"") + "data: [DONE]\n\n", first.size()};
}

std::string head_of(const Body& body, std::size_t length, std::string_view more = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + body.type + "\r\nContent-Length: " + std::to_string(length) + "\r\n" +
         std::string(more) + "\r\n";
}

std::string head_of_a_mebibyte() {
  std::string head = "HTTP/1.1 200 OK\r\n";
  while (head.size() < kMiB) head += "X-Field: value\r\n";
  return head + "\r\n";
}

/// Sends a body of 1 GiB, as far as the client reads it.
void send_endless(const Body& body, Peer& peer) {
  peer.send(head_of(body, kGiB) + body.text.substr(0, body.good_bytes));
  const std::string more(kMiB, 'x');
  for (std::size_t sent = 0; sent < kGiB; sent += more.size()) peer.send(more);
  peer.close();
}

void send(Fault fault, const Body& body, Peer& peer) {
  const std::string good = body.text.substr(0, body.good_bytes);
  switch (fault) {
    case Fault::Stall: peer.send(head_of(body, body.text.size()) + good); return peer.wait_until_left();
    case Fault::Truncation: peer.send(head_of(body, body.text.size()) + good); return peer.close();
    case Fault::ShortLength: peer.send(head_of(body, body.good_bytes + 10) + body.text); return peer.close();
    case Fault::NoJson: return peer.send(head_of(body, good.size() + 13) + good + "data: Hello\n\n");
    case Fault::EndlessBody: return send_endless(body, peer);
    case Fault::GzipBomb: {
      const std::string bomb = packed(good + std::string(64 * kMiB, ' '));
      return peer.send(head_of(body, bomb.size(), "Content-Encoding: gzip\r\n") + bomb);
    }
    case Fault::Garbage: peer.send("SSH-2.0-OpenSSH_9.2\r\n"); return peer.close();
    case Fault::HeaderFlood: peer.send(head_of_a_mebibyte()); return peer.close();
    case Fault::RedirectAway: return peer.answer("302 Found\r\nLocation: http://other.invalid/");
    case Fault::Reset: return peer.reset();
    case Fault::InternalError: return peer.answer("500 Internal Server Error", "Something went wrong.");
    case Fault::Busy: return peer.answer("503 Service Unavailable");
    case Fault::Frozen: return peer.wait_until_left();
  }
}

}  // namespace

FaultyUpstream::FaultyUpstream(Fault fault)
    : fault_(fault), server_([this](const ReceivedRequest& request, Peer& peer) { answer(request, peer); }) {}

FaultyUpstream::FaultyUpstream(Fault fault, const TlsIdentity& identity)
    : fault_(fault), server_([this](const ReceivedRequest& request, Peer& peer) { answer(request, peer); }, identity) {}

std::size_t FaultyUpstream::requests(std::string_view part) const {
  const std::vector<ReceivedRequest> received = server_.received();
  return static_cast<std::size_t>(std::count_if(received.begin(), received.end(), [&](const ReceivedRequest& request) {
    return request.target.find(part) != std::string::npos;
  }));
}

void FaultyUpstream::answer(const ReceivedRequest& request, Peer& peer) const { send(fault_, body_for(request), peer); }

}  // namespace kbase::tests
