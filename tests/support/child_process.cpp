// SPDX-License-Identifier: Apache-2.0
#include "tests/support/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using Clock = std::chrono::steady_clock;

std::runtime_error failure(const std::string& what) { return std::runtime_error(what + ": " + std::strerror(errno)); }

int remaining_ms(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

/// Waits until `fd` has one of `events`; returns false at the deadline.
bool is_ready(int fd, short events, Clock::time_point deadline) {
  pollfd descriptor{fd, events, 0};
  int ready = 0;
  do ready = ::poll(&descriptor, 1, remaining_ms(deadline));
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

void close_once(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

/// Returns a null-terminated array of C strings that point into `texts`, which must outlive it.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  all.insert(all.end(), added.begin(), added.end());
  return all;
}

struct Pipe {
  int read = -1;
  int write = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw failure("no pipe");
    read = ends[0];
    write = ends[1];
  }
};

/// Runs in the child between fork and exec; system calls only.
[[noreturn]] void become(char* const* arguments, char* const* environment, int input, int output, int errors,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  if (errors >= 0) ::dup2(errors, STDERR_FILENO);
  ::execve(arguments[0], arguments, environment);
  ::_exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const Launch& launch) {
  ::signal(SIGPIPE, SIG_IGN);  // writing to a program that has exited must be an error and must not kill this process
  const std::vector<std::string> environment = environment_with(launch.environment);
  const std::vector<char*> arguments = pointers_to(launch.command);
  const std::vector<char*> variables = pointers_to(environment);
  int errors = -1;
  if (!launch.error_log.empty()) {
    errors = ::open(launch.error_log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (errors < 0) throw failure("cannot write " + launch.error_log.string());
  }
  Pipe input;
  Pipe output;
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(arguments.data(), variables.data(), input.read, output.write, errors, parent);
  ::close(input.read);
  ::close(output.write);
  if (errors >= 0) ::close(errors);
  input_ = input.write;
  output_ = output.read;
  if (pid_ < 0) throw failure("cannot start " + launch.command.front());
  pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && !exit_code_) {
    send_signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  close_once(input_);
  close_once(output_);
  close_once(pidfd_);
}

void ChildProcess::send_signal(int signal) const {
  if (!exit_code_) ::kill(pid_, signal);
}

bool ChildProcess::read_some(Clock::time_point deadline) {
  std::array<char, 65536> bytes{};
  if (output_ < 0 || !is_ready(output_, POLLIN, deadline)) return false;
  const ssize_t count = ::read(output_, bytes.data(), bytes.size());
  if (count > 0)
    unread_.append(bytes.data(), static_cast<std::size_t>(count));
  else
    close_once(output_);
  return count > 0;
}

std::optional<std::string> ChildProcess::read_line(std::chrono::milliseconds timeout) {
  const Clock::time_point deadline = Clock::now() + timeout;
  std::size_t end = 0;
  while ((end = unread_.find('\n')) == std::string::npos)
    if (!read_some(deadline)) return std::nullopt;
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

std::string ChildProcess::communicate(std::string_view input, std::chrono::milliseconds timeout) {
  const Clock::time_point deadline = Clock::now() + timeout;
  ::fcntl(input_, F_SETFL, O_NONBLOCK);
  while (!input.empty() && Clock::now() < deadline) {
    std::array<pollfd, 2> ends{pollfd{input_, POLLOUT, 0}, pollfd{output_, POLLIN, 0}};
    ::poll(ends.data(), ends.size(), remaining_ms(deadline));
    if (ends[1].revents != 0) read_some(deadline);
    if (ends[0].revents == 0) continue;
    const ssize_t written = ::write(input_, input.data(), input.size());
    if (written < 0 && errno != EAGAIN) break;  // the program has closed its standard input
    if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
  }
  close_once(input_);
  while (read_some(deadline)) {
  }
  return std::exchange(unread_, {});
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds timeout) {
  if (exit_code_) return exit_code_;
  if (!is_ready(pidfd_, POLLIN, Clock::now() + timeout)) return std::nullopt;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_code_;
}

Outcome run_program(Launch launch, std::string_view input, std::chrono::milliseconds timeout) {
  const TemporaryFolder folder;
  launch.error_log = folder.path() / "errors";
  Outcome outcome;
  {
    ChildProcess process(launch);
    outcome.output = process.communicate(input, timeout);
    outcome.exit_code = process.wait(timeout).value_or(-1);
  }
  std::ifstream errors(launch.error_log, std::ios::binary);
  outcome.errors.assign(std::istreambuf_iterator<char>(errors), {});
  return outcome;
}

std::string missing_terminal() {
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (controller < 0) return "no pseudo-terminal can be opened: " + std::string(std::strerror(errno));
  const bool is_granted = ::grantpt(controller) == 0 && ::unlockpt(controller) == 0;
  const char* const name = is_granted ? ::ptsname(controller) : nullptr;
  const int terminal = name != nullptr ? ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
  const int error = errno;
  if (terminal >= 0) ::close(terminal);
  ::close(controller);
  if (terminal >= 0) return {};
  return "no pseudo-terminal can be opened; is /dev/pts mounted? " + std::string(std::strerror(error));
}

}  // namespace kbase::tests
