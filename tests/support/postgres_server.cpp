// SPDX-License-Identifier: Apache-2.0
#include "tests/support/postgres_server.hpp"

#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "tests/support/eventually.hpp"
#include "tests/support/free_port.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr int kMostTries = 5;

/// Returns the program folder of the newest PostgreSQL that Debian has installed; empty: not installed.
fs::path programs() {
  fs::path newest;
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored))
    if (fs::exists(version.path() / "bin/initdb", ignored) && version.path() > newest) newest = version.path();
  return newest.empty() ? newest : newest / "bin";
}

struct Finish {
  void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};

}  // namespace

bool has_postgres() { return !programs().empty() && (::geteuid() != 0 || ::getpwnam("postgres") != nullptr); }

PostgresServer::PostgresServer(const Options& options) : PostgresServer(options, Role::Primary, nullptr) {}

std::unique_ptr<PostgresServer> PostgresServer::replica_of(const PostgresServer& primary) {
  return std::unique_ptr<PostgresServer>(new PostgresServer(primary.options_, Role::Replica, &primary));
}

PostgresServer::PostgresServer(const Options& options, Role role, const PostgresServer* primary)
    : options_(options), port_(free_port()) {
  if (const passwd* const user = ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr)
    if (::chown(folder_.path().c_str(), user->pw_uid, user->pw_gid) != 0)
      throw std::runtime_error("the folder of PostgreSQL cannot be given to its user");
  if (role == Role::Primary)
    run({programs() / "initdb", "-D", data(), "-U", "kbase", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"});
  else
    run({programs() / "pg_basebackup", "-h", "127.0.0.1", "-p", std::to_string(primary->port()), "-U", "kbase", "-D",
         data(), "-R", "-c", "fast"});
  // Another process may bind the port between its choice and its use.
  for (int tries = 1; !is_started(); ++tries) {
    if (tries == kMostTries) throw std::runtime_error("PostgreSQL did not start: " + log());
    port_ = free_port();
  }
  if (role == Role::Primary)
    run({programs() / "createdb", "-h", "127.0.0.1", "-p", std::to_string(port_), "-U", "kbase", "kbase"});
}

PostgresServer::~PostgresServer() {
  if (!process_) return;
  send_signal(SIGQUIT);  // so that it frees its shared memory, which a killed server leaves behind
  process_->wait(seconds(5));
}

void PostgresServer::start() {
  // Processes of a killed server hold the shared memory that the new one needs until they exit.
  if (!eventually(seconds(10), [this] { return is_started(); }))
    throw std::runtime_error("PostgreSQL did not start again: " + log());
}

std::string PostgresServer::log() const {
  std::ifstream text(folder_.path() / "log");
  return {std::istreambuf_iterator<char>(text), {}};
}

Launch PostgresServer::as_postgres(std::vector<std::string> command) const {
  if (::geteuid() == 0) {
    const std::vector<std::string> other{"/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres",
                                         "--init-groups",    "--pdeathsig=keep", "--"};
    command.insert(command.begin(), other.begin(), other.end());
  }
  return {std::move(command), {"LC_ALL=C.UTF-8"}, folder_.path() / "log"};
}

void PostgresServer::run(std::vector<std::string> command) const {
  const std::string name = command.front();
  const Outcome outcome = run_program(as_postgres(std::move(command)));
  if (outcome.exit_code != 0) throw std::runtime_error(name + " failed: " + outcome.errors + log());
}

bool PostgresServer::is_started() {
  std::vector<std::string> command{programs() / "postgres", "-D", data(), "-p", std::to_string(port_)};
  std::vector<std::string> settings{"listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=32MB",
                                    "max_connections=100", "logging_collector=off"};
  if (options_.durability == Durability::None)
    for (const char* const setting : {"fsync=off", "full_page_writes=off"}) settings.emplace_back(setting);
  settings.insert(settings.end(), options_.settings.begin(), options_.settings.end());
  for (std::string& setting : settings) {
    command.emplace_back("-c");
    command.push_back(std::move(setting));
  }
  process_.emplace(as_postgres(std::move(command)));
  const auto has_ended = [this] { return process_->wait(std::chrono::milliseconds(0)).has_value(); };
  bool is_up = false;
  eventually(seconds(30), [&] { return (is_up = answers()) || has_ended(); });
  return is_up && !has_ended();
}

bool PostgresServer::answers() const {
  return PQping(("host=127.0.0.1 user=kbase dbname=postgres port=" + std::to_string(port_)).c_str()) == PQPING_OK;
}

std::string PostgresServer::ask(const std::string& query) const {
  const std::unique_ptr<PGconn, Finish> connection(PQconnectdb(url().c_str()));
  const std::unique_ptr<PGresult, Clear> result(PQexec(connection.get(), query.c_str()));
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()));
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

void PostgresServer::kill() {
  pid_t server = 0;
  std::ifstream(data() / "postmaster.pid") >> server;
  const std::string task = "/proc/" + std::to_string(server) + "/task/" + std::to_string(server);
  std::ifstream children(task + "/children");
  const std::vector<pid_t> processes{std::istream_iterator<pid_t>(children), {}};
  send_signal(SIGKILL);
  for (const pid_t process : processes) ::kill(process, SIGKILL);  // a backend may still commit
  process_->wait(seconds(10));
}

std::vector<pid_t> PostgresServer::processes() const {
  std::vector<pid_t> processes;
  std::istringstream listed(
      ask("SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE backend_type = 'client backend'"
          " AND pid <> pg_backend_pid()"));
  for (pid_t process = 0; listed >> process;) processes.push_back(process);
  processes.push_back(std::stoi(ask("SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)")));
  return processes;
}

void PostgresServer::promote() const { run({programs() / "pg_ctl", "promote", "-w", "-D", data()}); }

}  // namespace kbase::tests
