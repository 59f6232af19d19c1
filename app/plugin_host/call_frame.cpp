// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/call_frame.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "app/plugin_host/descriptor_check.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {
namespace {

constexpr std::size_t kMaxMessageBytes = 1024;
constexpr std::size_t kMaxDetailBytes = 4096;
constexpr std::size_t kMaxParameterBytes = 256;

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

Status CallFrame::finish_create(kb_status status) {
  if (status != KB_NOT_FOUND || closed_) return finish(status);
  return explained_error(ErrorCode::NotFound);
}

Result<std::uint64_t> CallFrame::finish_rows(kb_status status, std::uint64_t value) {
  KBASE_TRY(finish_rows(status));
  if (stopped_) return Error{ErrorCode::Cancelled, name() + ": the visitor stopped the read"};
  return value;
}

Result<bool> CallFrame::finish_found(kb_status status) {
  const bool is_there = status != KB_NOT_FOUND;
  KBASE_TRY(finish_rows(is_there ? status : KB_OK));
  return is_there;
}

Status CallFrame::finish_found(kb_status status, const char* missing) {
  const auto found = KBASE_TRY(finish_found(status));
  if (!found) return Error{ErrorCode::NotFound, missing};
  return {};
}

Result<std::optional<model::Day>> CallFrame::finish_day(kb_status status, std::int32_t day) {
  model::Day value;
  sdk::FromC from_c(is_validating());
  if (status == KB_OK) from_c.day(day, value);
  if (from_c.violation() != nullptr) report_violation(from_c.violation());
  const auto found = KBASE_TRY(finish_found(status));
  return found ? std::optional(value) : std::nullopt;
}

Result<bool> CallFrame::finish_one(kb_status status) {
  check_rows(status);
  return finish_found(status);
}

void CallFrame::check_rows(kb_status status) noexcept {
  if (status == KB_NOT_FOUND && rows_ != 0) report_violation("passed a row and returned KB_NOT_FOUND");
  if (status == KB_OK && rows_ == 0) report_violation("returned KB_OK without a row");
}

/// "org.example.jsonlines: item_store.get".
std::string CallFrame::name() const { return host_.plugin_id() + ": " + function_; }

Status CallFrame::outcome(kb_status status) {
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (violation_ != nullptr) return contract_violation(violation_);
  if (status == KB_OK) return {};
  if (status > 0)
    return contract_violation("returned status " + std::to_string(status) + ", which this function cannot return");
  return explained_error(sdk::code_of(status));
}

Error CallFrame::contract_violation(std::string_view what) const {
  return {ErrorCode::Internal,
          "The plugin " + host_.plugin_id() + " violated the contract of its port; the log has the details.",
          name().append(": the plugin ").append(what)};
}

Error CallFrame::explained_error(ErrorCode code) {
  const std::unique_ptr<Explanation> why(explanation_.exchange(nullptr));
  Error error;
  error.code = code;
  if (why != nullptr) {
    error.message = std::move(why->message);
    error.detail = std::move(why->detail);
    error.retry_after = why->retry_after;
    if (code == ErrorCode::InvalidArgument) error.parameter = std::move(why->parameter);
  }
  if (error.message.empty() && error.detail.empty()) error.detail = "the plugin failed without an explanation";
  if (error.message.empty()) error.message = "A part of the service failed; the log has the details.";
  return error.during(name());
}

void CallFrame::delete_explanation() noexcept { delete explanation_.load(std::memory_order_relaxed); }

// ------------------------------------------------------------- functions that the plugin calls

void CallFrame::explain(kb_call* call, const kb_explanation* why) noexcept try {
  if (call == nullptr || call->host_data == nullptr || why == nullptr || !KB_HAS(why, parameter)) return;
  auto& self = *static_cast<CallFrame*>(call->host_data);
  auto copy = std::make_unique<Explanation>();
  copy->message = to_valid_utf8(why->message, kMaxMessageBytes);
  copy->detail = to_valid_utf8(why->detail, kMaxDetailBytes);
  copy->parameter = to_valid_utf8(why->parameter, kMaxParameterBytes);
  copy->retry_after = std::chrono::milliseconds(why->retry_after_ms);
  const std::unique_ptr<Explanation> earlier(self.explanation_.exchange(copy.release()));
} catch (...) {
  // No memory for the explanation: the status stands without one.
}

std::int32_t CallFrame::cancelled(const kb_call* call) noexcept {
  if (call == nullptr || call->host_data == nullptr) return 0;
  return static_cast<const CallFrame*>(call->host_data)->origin_.cancelled() ? 1 : 0;
}

namespace crash {

constinit thread_local const char* volatile current = kNoStack;

void give_stack() {
  static thread_local SignalStack stack;
  current = nullptr;
}

}  // namespace crash

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
