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

/// Debian's redis-tools contains the server under the name of one of its tools; the program selects its role by its
/// first argument, argv[0]. The package redis-server would also start a service.
constexpr const char* kProgram = "/usr/bin/redis-check-rdb";

constexpr int kMostTries = 5;

}  // namespace

bool has_redis() { return fs::exists(kProgram); }

RedisServer::RedisServer(const Options& options)
    : options_(options), port_(options.port != 0 ? options.port : free_port()) {
  fs::create_symlink(kProgram, folder() / "redis-server");
  // Another process may bind the port between its choice and its use.
  for (int tries = 1; !is_started(); ++tries) {
    if (options.port != 0 || tries == kMostTries) throw std::runtime_error("redis-server did not start: " + log());
    port_ = free_port();
  }
}

void RedisServer::start() {
  if (!is_started()) throw std::runtime_error("redis-server did not start again: " + log());
}

std::string RedisServer::log() const {
  std::ifstream text(folder() / "log");
  return {std::istreambuf_iterator<char>(text), {}};
}

bool RedisServer::is_started() {
  Launch launch{{folder() / "redis-server"}, options_.environment, {}};
  std::vector<std::string>& command = launch.command;
  command.insert(command.end(), options_.arguments.begin(), options_.arguments.end());  // a config file comes first
  // Synchronise a replica at once. By default, a primary waits for more replicas to serve together.
  for (const std::string& argument :
       {std::string("--repl-diskless-sync-delay"), std::string("0"), std::string("--bind"), std::string("127.0.0.1"),
        std::string("--port"), std::to_string(port_), std::string("--dir"), folder().string(), std::string("--logfile"),
        (folder() / "log").string(), std::string("--save"), std::string()})
    command.push_back(argument);
  if (options_.is_cluster_node)
    for (const std::string& argument : {std::string("--cluster-enabled"), std::string("yes"),
                                        std::string("--cluster-port"), std::to_string(free_port())})
      command.push_back(argument);
  process_.emplace(launch);
  const auto has_ended = [this] { return process_->wait(std::chrono::milliseconds(0)).has_value(); };
  bool answers = false;
  eventually(seconds(10), [&] { return (answers = answers_ping(port_)) || has_ended(); });
  return answers && !has_ended();
}

void RedisServer::kill() {
  send_signal(SIGKILL);
  process_->wait(seconds(10));
}

}  // namespace kbase::tests
