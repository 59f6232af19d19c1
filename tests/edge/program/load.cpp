// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/program/load.hpp"

#include <algorithm>

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kItems = 1000;
constexpr std::size_t kMostFaults = 10;

std::string request(const std::string& line, const std::string& id, const std::string& rest = "\r\n") {
  return line + " HTTP/1.1\r\nHost: x\r\nX-Request-Id: " + id + "\r\n" + rest;
}

std::string chunked(const std::string& body) {
  std::string coded = "Transfer-Encoding: chunked\r\n\r\n";
  for (const char c : body) coded.append("1;x=y\r\n").append(1, c).append("\r\n");
  return coded + "0\r\nTrailer: t\r\n\r\n";
}

}  // namespace

void LoadReport::fault(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (faults_.size() < kMostFaults) faults_.push_back(text);
}

std::vector<std::string> LoadReport::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

LoadClient::LoadRequest LoadClient::load_request() {
  const std::string id = "c" + std::to_string(number_) + "-" + std::to_string(sent_++);
  const std::string item = "i" + std::to_string(below(kItems));
  const std::string prompt = R"({"prompt":")" + id + "\"}";
  switch (below(9)) {
    case 0:
    case 1:
    case 2: return {request("GET /api/v1/item/" + item, id), id, " 200 ", R"("content":"text of )" + item + '"'};
    case 3: return {request("GET /api/v1/search?q=%22of+" + item + "%22", id), id, " 200 ", R"("id":")" + item + '"'};
    case 4: return {request("GET /api/v1/item/none-" + id, id), id, " 404 ", "NOT_FOUND"};
    case 5: return {request("HEAD /api/v1/item/" + item, id), id, " 200 ", "", true};
    case 6:
      return {request("POST /api/v1/external/llm", id,
                      "Content-Length: " + std::to_string(prompt.size()) + "\r\n\r\n" + prompt),
              id, " 401 ", "UNAUTHORIZED"};
    case 7: return {request("POST /api/v1/external/llm", id, chunked(prompt)), id, " 401 ", "UNAUTHORIZED"};
    default: return {request("GET /api/v1/stats", id), id, " 200 ", R"("total_items")"};
  }
}

/// Returns the requests of one round on a connection, one or a few. The last one may close the connection.
std::vector<LoadClient::LoadRequest> LoadClient::load_requests() {
  std::vector<LoadRequest> all;
  do all.push_back(load_request());
  while (below(4) == 0);
  if (below(20) == 0) {
    LoadRequest& last = all.back();
    last.bytes.insert(last.bytes.find("Host"), "Connection: close\r\n");
    last.closes = true;
  } else if (below(40) == 0) {
    all.push_back({"GET /api/v1/item/i1 HTTP/1.1\r\nHost : x\r\n\r\n" + request("GET /smuggled", "smuggled"), "",
                   " 400 ", "BAD_REQUEST", false, true});
  }
  return all;
}

void LoadClient::send(TimedClient& client, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const std::size_t size = below(3) == 0 ? 1 + below(40) : bytes.size();
    client.send(std::string_view(bytes).substr(sent, size));
    sent = std::min(bytes.size(), sent + size);
  }
}

bool LoadClient::check_response(TimedClient& client, const LoadRequest& load_request) {
  const auto answer = client.answer(10s, load_request.to_head);
  if (!answer) {
    report_.fault("no answer to\n" + load_request.bytes);
    return false;
  }
  const std::string_view head = std::string_view(*answer).substr(0, answer->find("\r\n\r\n") + 2);
  const bool has_id =
      load_request.id.empty() || head.find("\r\nX-Request-Id: " + load_request.id + "\r\n") != head.npos;
  const bool has_status = head.substr(0, head.find('\r')).find(load_request.status) != head.npos;
  const bool has_body = answer->find(load_request.body, head.size()) != std::string::npos;
  if (!has_id || !has_status || !has_body) report_.fault("to\n" + load_request.bytes + "\ncame\n" + *answer);
  report_.count(1);
  return has_id && has_status && has_body;
}

/// Sends one round of requests and reads the responses. Returns false if the connection is over.
bool LoadClient::converse(TimedClient& client) {
  const std::vector<LoadRequest> all = load_requests();
  std::string bytes;
  for (const LoadRequest& load_request : all) bytes += load_request.bytes;
  if (below(15) == 0) {  // disconnects in the middle of its requests
    send(client, bytes.substr(0, below(bytes.size() + 1)));
    below(2) == 0 ? client.reset() : client.close();
    return false;
  }
  send(client, bytes);
  const std::size_t received = below(15) == 0 ? below(all.size()) : all.size();
  for (std::size_t i = 0; i < received; ++i)
    if (!check_response(client, all[i])) return false;
  if (received < all.size()) {  // disconnects before it has read all responses
    below(2) == 0 ? client.reset() : client.close();
    return false;
  }
  if (!all.back().closes) return true;
  if (client.answer(10s)) report_.fault("something after the end");
  return false;
}

void LoadClient::run(std::uint64_t requests) {
  while (sent_ < requests && report_.faults().empty()) {
    TimedClient client(port_);
    if (!client.is_connected()) return report_.fault("no connection");
    while (sent_ < requests && converse(client)) {
    }
  }
}

}  // namespace kbase::tests
