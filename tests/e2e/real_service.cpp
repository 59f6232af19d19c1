// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/real_service.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace kbase::tests {
namespace {

std::string new_name() {
  static std::atomic<int> count{0};
  return "kbase-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

}  // namespace

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

FaultyConnection::FaultyConnection(const std::string& server_url)
    : toxiproxy_(variable("KBASE_TEST_TOXIPROXY_URL")), name_(new_name()) {
  const std::string upstream = server_url.substr(server_url.find("//") + 2);
  const nlohmann::json made = command(
      "POST", "/proxies", {{"name", name_}, {"listen", "127.0.0.1:0"}, {"upstream", upstream}, {"enabled", true}});
  url_ = "http://" + made.at("listen").get<std::string>();  // includes the port that Toxiproxy assigned
}

FaultyConnection::~FaultyConnection() {
  try {
    (void)toxiproxy_.send(
        {.method = "DELETE", .target = "/proxies/" + name_, .fields = {}, .body = {}, .whole_target = {}});
  } catch (const std::exception&) {  // Toxiproxy has stopped, and the proxy with it
  }
}

void FaultyConnection::add(const std::string& type, const nlohmann::json& attributes) {
  command("POST", "/proxies/" + name_ + "/toxics", {{"type", type}, {"attributes", attributes}});
}

void FaultyConnection::go(bool up) { command("POST", "/proxies/" + name_, {{"enabled", up}}); }

nlohmann::json FaultyConnection::command(const std::string& method, const std::string& target,
                                         const nlohmann::json& body) {
  const Response response =
      toxiproxy_.send({.method = method, .target = target, .fields = {}, .body = body.dump(), .whole_target = {}});
  if (response.status >= 300) throw std::runtime_error("Toxiproxy refuses " + target + ": " + response.body);
  return response.json();
}

std::vector<StreamEvent> events_of(const std::string& body) {
  std::vector<StreamEvent> events;
  StreamEvent event;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("event: ")) event.name = line.substr(7);
    if (line.starts_with("data: ")) event.data = nlohmann::json::parse(line.substr(6), nullptr, false);
    if (line.empty() && !event.name.empty()) events.push_back(std::exchange(event, {}));
  }
  return events;
}

std::string text_of(const std::vector<StreamEvent>& events) {
  std::string text;
  for (const StreamEvent& event : events)
    if (event.name == "delta") text += event.data.value("text", "");
  return text;
}

}  // namespace kbase::tests
