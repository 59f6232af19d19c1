// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/crash_mark.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>

namespace kbase::plugin_host {
namespace crash {

constinit thread_local const char* volatile current = kNoStack;

namespace {

/// Alternate signal stack of the calling thread, for the thread's lifetime. An existing one is kept.
class SignalStack {
 public:
  SignalStack() {
    stack_t stack{};
    if (::sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return;
    void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = memory;
    stack = {};
    stack.ss_sp = memory;
    stack.ss_size = kBytes;
    ::sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    ::munmap(memory_, kBytes);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 64 * 1024;  // a signal frame with AVX-512 state needs 3 KiB, with AMX 11 KiB
  void* memory_ = nullptr;
};

}  // namespace

void give_stack() {
  static thread_local SignalStack stack;
  current = nullptr;
}

}  // namespace crash

namespace {

struct FatalSignal {
  int number;
  const char* name;
  struct sigaction before;  ///< the action before the handler was installed
};

std::array<FatalSignal, 5> fatal_signals{{{SIGSEGV, "SIGSEGV", {}},
                                          {SIGBUS, "SIGBUS", {}},
                                          {SIGFPE, "SIGFPE", {}},
                                          {SIGILL, "SIGILL", {}},
                                          {SIGABRT, "SIGABRT", {}}}};

/// A line of text in a fixed buffer, because a signal handler must not allocate. Text that does not fit is dropped.
class Line {
 public:
  Line& operator<<(const char* text) {
    const std::size_t size = std::min(std::strlen(text), sizeof(text_) - size_);
    std::memcpy(text_ + size_, text, size);
    size_ += size;
    return *this;
  }
  void write() const { [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text_, size_); }

 private:
  char text_[2048];
  std::size_t size_ = 0;
};

/// Signal handler; makes only async-signal-safe calls (signal-safety(7)).
void report_crash(int number, siginfo_t* info, void*) {
  const auto signal = std::find_if(fatal_signals.begin(), fatal_signals.end(),
                                   [&](const FatalSignal& known) { return known.number == number; });
  if (crash::is_marked()) {
    const char* const whose = crash::current;
    crash::current = nullptr;  // report once, even if abort() raises the signal again
    (Line() << "kbase: fatal: " << signal->name << " in plugin " << whose
            << "; the process ends; report this to the plugin's vendor\n")
        .write();
  }
  // After the return, a faulting instruction runs again and faults again; a signal that was sent must be raised again.
  ::sigaction(number, &signal->before, nullptr);
  if (info->si_code <= 0) ::raise(number);
}

}  // namespace

void install_crash_handler() {
  crash::give_stack();
  for (FatalSignal& signal : fatal_signals) {
    struct sigaction action {};
    action.sa_sigaction = report_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(signal.number, &action, &signal.before);
  }
}

}  // namespace kbase::plugin_host
