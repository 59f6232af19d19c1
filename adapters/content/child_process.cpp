// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "adapters/base/waiting.hpp"

namespace kbase::content {
namespace {

constexpr std::size_t kErrorBytes = 4096;
constexpr int kCannotStart = 127;

/// A file descriptor that is closed at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read, write;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    return true;
  }
};

/// A running program. The destructor kills its group.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, const ChildLimits& limits) : limits_(limits) {
    for (const std::string& argument : arguments) arguments_.push_back(const_cast<char*>(argument.c_str()));
    arguments_.push_back(nullptr);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    if (!has_ended_) ::waitpid(process_, nullptr, 0);
  }

  Status start() {
    for (Pipe* const pipe : {&input_, &output_, &errors_, &failure_})
      if (!pipe->open()) return cannot_start(errno);
    process_ = ::fork();
    if (process_ < 0) return cannot_start(errno);
    if (process_ == 0) become_program();
    ::setpgid(process_, process_);  // in both processes, so that it holds for the one that comes first
    input_.read.close();
    output_.write.close();
    errors_.write.close();
    failure_.write.close();
    int failure = 0;
    if (::read(failure_.read.get(), &failure, sizeof failure) == sizeof failure) return cannot_start(failure);
    for (const int end : {input_.write.get(), output_.read.get(), errors_.read.get()})
      ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
    return {};
  }

  Result<ChildOutput> run(std::string_view input, const ports::Call& call) {
    const auto end = waiting::after(limits_.time);
    ChildOutput result;
    while (output_.read.is_open() || errors_.read.is_open()) {
      if (call.cancelled()) return Error{ErrorCode::Cancelled, "the import was interrupted"};
      if (waiting::now() >= end)
        return invalid_argument({}, "did not end within " + std::to_string(limits_.time.count() / 1000) + " s");
      transfer(input, result);
      if (result.output.size() > limits_.output_bytes)
        return invalid_argument({}, "wrote more than " + std::to_string(limits_.output_bytes >> 20) + " MiB");
    }
    int status = 0;
    for (;;) {
      const pid_t ended = ::waitpid(process_, &status, WNOHANG);
      if (ended == process_) break;
      if (waiting::now() >= end) return invalid_argument({}, "closed its output and did not end");
      ::poll(nullptr, 0, 1);
    }
    has_ended_ = true;
    if (WIFSIGNALED(status))
      return invalid_argument({}, std::string("was ended by the signal ") + ::strsignal(WTERMSIG(status)));
    result.exit_code = WEXITSTATUS(status);
    return result;
  }

 private:
  Error cannot_start(int code) const {
    return {code == ENOENT ? ErrorCode::NotFound : ErrorCode::Unavailable,
            std::string(arguments_.front()) + ": " + std::strerror(code)};
  }

  /// Runs in the new process, where only functions that are safe in signal handlers may be called.
  [[noreturn]] void become_program() {
    ::setpgid(0, 0);
    const rlimit memory{limits_.memory_bytes, limits_.memory_bytes};
    ::setrlimit(RLIMIT_AS, &memory);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::dup2(input_.read.get(), STDIN_FILENO);
    ::dup2(output_.write.get(), STDOUT_FILENO);
    ::dup2(errors_.write.get(), STDERR_FILENO);
    ::execvp(arguments_.front(), arguments_.data());
    const int failure = errno;
    [[maybe_unused]] const auto written = ::write(failure_.write.get(), &failure, sizeof failure);
    ::_exit(kCannotStart);
  }

  void transfer(std::string_view& input, ChildOutput& result) {
    if (input.empty()) input_.write.close();
    std::array<pollfd, 3> ends{
        {{output_.read.get(), POLLIN, 0}, {errors_.read.get(), POLLIN, 0}, {input_.write.get(), POLLOUT, 0}}};
    ::poll(ends.data(), ends.size(), static_cast<int>(waiting::kPollInterval.count()));
    if (ends[0].revents != 0) receive(output_.read, result.output, limits_.output_bytes + 1);
    if (ends[1].revents != 0) receive(errors_.read, result.errors, kErrorBytes);
    if (ends[2].revents == 0) return;
    const auto written = ::write(input_.write.get(), input.data(), input.size());
    if (written > 0)
      input.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EAGAIN && errno != EINTR)
      input = {};  // the program does not read its input
  }

  /// Reads what is there; keeps at most `limit` bytes.
  static void receive(Descriptor& end, std::string& text, std::size_t limit) {
    std::array<char, 65536> buffer;
    const auto count = ::read(end.get(), buffer.data(), buffer.size());
    if (count > 0)
      text.append(buffer.data(), std::min(static_cast<std::size_t>(count), limit - std::min(limit, text.size())));
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
      end.close();
  }

  const ChildLimits& limits_;
  std::vector<char*> arguments_;
  Pipe input_, output_, errors_, failure_;
  pid_t process_ = -1;
  bool has_ended_ = false;
};

}  // namespace

Result<ChildOutput> run_program(const std::vector<std::string>& arguments, std::string_view input,
                                const ChildLimits& limits, const ports::Call& call) {
  // A program that does not read its input must not end this one.
  static const auto ignored = ::signal(SIGPIPE, SIG_IGN);
  static_cast<void>(ignored);
  Child child(arguments, limits);
  KBASE_TRY(child.start());
  return child.run(input, call);
}

}  // namespace kbase::content
