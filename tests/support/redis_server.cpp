// SPDX-License-Identifier: Apache-2.0
#include "tests/support/redis_server.hpp"

#include <signal.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

/// Debian's redis-tools has the server under the name of one of its tools: the program goes by its first argument. The
/// package redis-server would start one as a service.
constexpr const char* kProgram = "/usr/bin/redis-check-rdb";

}  // namespace

bool has_redis() {
  return fs::exists(kProgram);
}

RedisServer::RedisServer(const Options& options)
    : options_(options), port_(options.port != 0 ? options.port : free_port()) {
  fs::create_symlink(kProgram, folder() / "redis-server");
  start();
}

void RedisServer::start() {
  const std::string log = folder() / "log";
  Launch launch{{folder() / "redis-server"}, options_.environment, {}};
  std::vector<std::string>& command = launch.command;
  command.insert(command.end(), options_.arguments.begin(), options_.arguments.end());  // a file has to come first
  // A replica is not made to wait for others that could be served along with it.
  for (const std::string& argument :
       {std::string("--repl-diskless-sync-delay"), std::string("0"), std::string("--bind"), std::string("127.0.0.1"),
        std::string("--port"), std::to_string(port_), std::string("--dir"), folder().string(), std::string("--logfile"),
        log, std::string("--save"), std::string()})
    command.push_back(argument);
  process_.emplace(launch);
  if (eventually(seconds(10), [&] { return answers_ping(port_); })) return;
  std::ifstream text(log);
  throw std::runtime_error("redis-server did not start: " + std::string(std::istreambuf_iterator<char>(text), {}));
}

void RedisServer::kill() {
  send_signal(SIGKILL);
  process_->wait(seconds(10));
}

}  // namespace kbase::tests
