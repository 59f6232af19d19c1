// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/contained.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

namespace kbase::plugin_check {
namespace {

using Clock = std::chrono::steady_clock;

constexpr off_t kMaxPrinted = 2000;

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int operator*() const { return number_; }

 private:
  int number_;
};

int remaining_ms(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

bool is_ready(int number, Clock::time_point deadline) {
  pollfd query{number, POLLIN, 0};
  int ready = 0;
  do ready = ::poll(&query, 1, remaining_ms(deadline));
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// ---- child -----------------------------------------------------------------------------------------------------

void prepare_child(pid_t parent, int printed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::setpgid(0, 0);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::close(nothing);
  ::dup2(printed, STDOUT_FILENO);
  ::dup2(printed, STDERR_FILENO);
}

void write_all(int to, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(to, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

/// Header of the text that the child sends.
struct Prefix {
  std::uint64_t size = 0;
  std::uint64_t is_exception = 0;  ///< the text is an exception's message, not the return value
};

void send(int to, bool is_exception, std::string_view text) {
  const Prefix prefix{text.size(), is_exception ? 1U : 0U};
  write_all(to, &prefix, sizeof prefix);
  write_all(to, text.data(), text.size());
}

[[noreturn]] void run_child(int to, Exit exit, const std::function<std::string()>& work) {
  try {
    send(to, false, work());
    if (exit == Exit::Orderly) std::exit(0);
  } catch (const std::exception& exception) {
    send(to, true, exception.what());
  } catch (...) {  // an exception of the plugin's own type
    send(to, true, "of an unknown type");
  }
  ::_exit(0);
}

// ---- parent ----------------------------------------------------------------------------------------------------

bool read_all(int from, void* data, std::size_t size, Clock::time_point deadline) {
  char* next = static_cast<char*>(data);
  while (size > 0) {
    if (!is_ready(from, deadline)) return false;
    const ssize_t count = ::read(from, next, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

void receive(int from, Clock::time_point deadline, ExitStatus& ending) {
  Prefix prefix;
  if (!read_all(from, &prefix, sizeof prefix, deadline)) return;
  std::string text(prefix.size, '\0');
  if (!read_all(from, text.data(), text.size(), deadline)) return;
  if (prefix.is_exception == 0) {
    ending.answer = std::move(text);
    return;
  }
  ending.crash = Crash::Threw;
  ending.description = "threw an exception: " + text;
}

std::string seconds_of(std::chrono::milliseconds span) {
  const auto seconds = span.count() / 1000;
  return span.count() % 1000 == 0 ? std::to_string(seconds) + " s" : std::to_string(span.count()) + " ms";
}

std::string signal_of(int number) {
  const char* name = ::sigabbrev_np(number);
  return "was killed by SIG" + std::string(name != nullptr ? name : std::to_string(number)) + " (" +
         ::strsignal(number) + ")";
}

/// Waits for the end of the child, then kills the rest of its process group.
void await_end(pid_t child, std::chrono::milliseconds limit, Clock::time_point deadline, ExitStatus& ending) {
  const Descriptor watch(checked(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)), "watching a process"));
  const bool ended = is_ready(*watch, deadline);
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);  // if it did not yet lead its own group
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const auto set = [&](Crash crash, std::string description) {
    ending.crash = crash;
    ending.description = std::move(description);
  };
  if (!ended) return set(Crash::Late, "did not end within " + seconds_of(limit));
  if (WIFSIGNALED(status)) return set(Crash::Killed, signal_of(WTERMSIG(status)));
  if (ending.crash == Crash::Threw) return;
  if (!ending.answer || WEXITSTATUS(status) != 0)
    set(Crash::Exited, "ended the process with exit code " + std::to_string(WEXITSTATUS(status)));
}

std::string end_of_file(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return {};
  const off_t start = status.st_size > kMaxPrinted ? status.st_size - kMaxPrinted : 0;
  std::string text(static_cast<std::size_t>(status.st_size - start), '\0');
  const ssize_t count = ::pread(file, text.data(), text.size(), start);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

}  // namespace

struct Steps::Shared {
  static constexpr std::size_t kCapacity = 120;

  std::atomic<std::size_t> size{0};
  std::atomic<char> text[kCapacity];
};

Steps::Steps() {
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (memory) Shared();
}

Steps::~Steps() { ::munmap(shared_, sizeof(Shared)); }

void Steps::enter(std::string_view step) noexcept {
  const std::size_t size = std::min(step.size(), Shared::kCapacity);
  for (std::size_t i = 0; i < size; ++i) shared_->text[i].store(step[i], std::memory_order_relaxed);
  shared_->size.store(size, std::memory_order_release);
}

std::string Steps::last() const {
  std::string step(shared_->size.load(std::memory_order_acquire), '\0');
  for (std::size_t i = 0; i < step.size(); ++i) step[i] = shared_->text[i].load(std::memory_order_relaxed);
  return step;
}

ExitStatus run_contained(std::chrono::milliseconds limit, Exit exit, Steps& steps,
                         const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  checked(::pipe2(ends.data(), O_CLOEXEC), "making a pipe");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const Descriptor printed(checked(::memfd_create("printed", MFD_CLOEXEC), "making a file in memory"));
  ::fcntl(*printed, F_SETFL, O_APPEND);
  std::fflush(nullptr);  // or the child would write the buffered text again
  steps.leave();

  const Clock::time_point start = Clock::now();
  const pid_t parent = ::getpid();
  const pid_t child = checked(::fork(), "starting a process");
  if (child == 0) {
    prepare_child(parent, *printed);
    run_child(*to, exit, work);
  }
  to.close();
  ExitStatus ending;
  receive(*from, start + limit, ending);
  await_end(child, limit, start + limit, ending);
  ending.took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  ending.printed = end_of_file(*printed);
  return ending;
}

}  // namespace kbase::plugin_check
