// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/program/target_server.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/edge/program/timed_client.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;

/// Returns a command that writes its process id to a file and limits descriptors to 1024, the usual shell default.
std::vector<std::string> noted(const TemporaryFolder& folder, std::vector<std::string> command) {
  std::vector<std::string> expected{"/bin/sh", "-c", "echo $$ >\"$0\"; ulimit -n 1024; exec \"$@\"",
                                    (folder.path() / "pid").string()};
  expected.insert(expected.end(), command.begin(), command.end());
  return expected;
}

template <class Number> Number number_in(const std::filesystem::path& file) {
  Number number{};
  std::ifstream(file) >> number;
  return number;
}

void write_items(const std::filesystem::path& file) {
  std::ofstream out(file);
  std::vector<std::string> ids{"a", "b", "c", "x/y"};
  for (int i = 0; i < 1000; ++i) ids.push_back("i" + std::to_string(i));
  for (const std::string& id : ids)
    out << R"({"id":")" << id << R"(","title":"word","category":"k","content":"text of )" << id << "\"}\n";
  out << R"({"id":"big","title":"big","category":"k","content":")" << std::string(8 << 20, 'x') << "\"}\n";
}

}  // namespace

TargetServer::TargetServer(std::unique_ptr<TemporaryFolder> folder, std::vector<std::string> command,
                           std::chrono::milliseconds timeout)
    : folder_(std::move(folder)),
      process_(
          {.command = noted(*folder_, std::move(command)), .environment = {}, .error_log = folder_->path() / "log"}),
      port_(static_cast<std::uint16_t>(std::stoi(process_.base_url().substr(17)))),
      pid_(number_in<int>(folder_->path() / "pid")),
      timeout_(timeout) {}

TargetServer TargetServer::kbase() {
  auto folder = std::make_unique<TemporaryFolder>();
  write_items(folder->path() / "items.jsonl");
  const std::string items = (folder->path() / "items.jsonl").string();
  // A long queue timeout, so that a busy machine does not cause overload responses.
  const std::vector<std::string> command{KBASE_PROGRAM, "serve",
                                         "--set",       "data_dir=" + (folder->path() / "data").string(),
                                         "--set",       "server.port=0",
                                         "--set",       "server.threads=2",
                                         "--set",       "explorer.enabled=false",
                                         "--set",       "server.max_queue_time=30s",
                                         "--set",       "storage.plugin=memory",
                                         "--set",       "storage.config.load=[\"" + items + "\"]",
                                         "--set",       "plans.public.per_minute=0",
                                         "--set",       "plans.public.per_day=0"};
  return {std::move(folder), command, 3s};
}

TargetServer TargetServer::plain_pistache(const std::string& mode) {
  return {std::make_unique<TemporaryFolder>(), {KBASE_PLAIN_PISTACHE, mode}, 15s};
}

std::string TargetServer::log() const {
  std::ifstream file(folder_->path() / "log");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::chrono::milliseconds TargetServer::used() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
  std::string stat{std::istreambuf_iterator<char>(file), {}};
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;  // up to utime and stime: proc(5), fields 14 and 15
  long user = 0;
  long system = 0;
  fields >> user >> system;
  return std::chrono::milliseconds((user + system) * 1000 / ::sysconf(_SC_CLK_TCK));
}

std::size_t TargetServer::descriptors() const {
  std::error_code gone;
  const std::filesystem::directory_iterator open("/proc/" + std::to_string(pid_) + "/fd", gone);
  return gone ? 0 : static_cast<std::size_t>(std::distance(begin(open), end(open)));
}

std::optional<std::string> TargetServer::harm() {
  // Directly after an attack, the server may have no capacity for a new client and answer 503 or close the
  // connection. This must pass within the deadline.
  const auto deadline = std::chrono::steady_clock::now() + 5s;
  for (;;) {
    if (const auto code = process_.wait(0ms)) return "it ended with " + std::to_string(*code);
    TimedClient client(port_);
    if (!client.is_connected()) return "it takes no connection";
    client.get("/item/a", "of-harm");
    const auto start = std::chrono::steady_clock::now();
    const std::optional<std::string> answer = client.answer(5s);
    if (!answer) {
      if (const auto code = process_.wait(100ms)) return "it ended with " + std::to_string(*code);
      if (std::chrono::steady_clock::now() - start >= 5s) return "it does not answer a new client";
    }
    if (answer && answer->find(R"("id":"a")") != std::string::npos) return std::nullopt;
    const bool may_pass = !answer || answer->find(" 503 ") != std::string::npos;
    if (may_pass && std::chrono::steady_clock::now() < deadline) continue;
    return answer ? "it gives a new client a wrong answer: " + *answer : "it leaves every new client";
  }
}

}  // namespace kbase::tests
