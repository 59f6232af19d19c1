// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/caller.hpp"

#include <algorithm>
#include <array>
#include <exception>

namespace kbase::plugin_check {
namespace {

constexpr std::array<std::string_view, 3> kOutcomes{"KB_OK", "KB_NOT_FOUND", "KB_STOPPED"};
constexpr std::array<std::string_view, 12> kFailures{"",
                                                     "KB_INVALID_ARGUMENT",
                                                     "KB_CONFLICT",
                                                     "KB_UNAVAILABLE",
                                                     "KB_NO_MEMORY",
                                                     "KB_DEADLINE",
                                                     "KB_BAD_UPSTREAM",
                                                     "KB_CANCELLED",
                                                     "KB_UNSUPPORTED",
                                                     "KB_GONE",
                                                     "KB_CORRUPT",
                                                     "KB_INTERNAL"};

/// During unwinding the recorded step must not change: it is the call that threw.
bool is_unwinding() {
  return std::uncaught_exceptions() > 0;
}

}  // namespace

std::string name_of(kb_status status) {
  if (status >= 0 && status < static_cast<kb_status>(kOutcomes.size()))
    return std::string(kOutcomes[static_cast<std::size_t>(status)]);
  if (status < 0 && status > -static_cast<kb_status>(kFailures.size()))
    return std::string(kFailures[static_cast<std::size_t>(-status)]);
  return "the unknown status " + std::to_string(status);
}

std::uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

bool Caller::expect(bool held, std::string_view wanted, std::string_view seen) {
  if (!held && judges_) fault(wanted, seen);
  return held;
}

void Caller::fault(std::string_view wanted, std::string_view seen) {
  const std::lock_guard lock(mutex_);
  if (faults_.emplace(wanted).second) bench_.report.expect(false, wanted, seen);
}

Caller::Longest Caller::longest() const {
  const std::lock_guard lock(mutex_);
  return longest_;
}

bool SinkState::admit() {
  if (!is_open_) {
    if (!caller_.watches_late_calls_) return false;
    caller_.fault("a sink is not called once its function has returned", function_ + " called its sink later");
    return false;
  }
  const int before = rows_++;
  if (!stops_ || before == 0) return true;
  caller_.fault("a sink that says stop is not called again",
                function_ + " called it " + std::to_string(before + 1) + " times");
  return false;
}

Turn::Turn(Caller& caller, std::string_view function)
    : caller_(caller),
      function_(function),
      serial_(caller.serial_mutex_, std::defer_lock),
      loans_(caller.mode_),
      call_(nullptr),
      start_(std::chrono::steady_clock::now()) {
  if (caller.serial_) serial_.lock();
  kb_call call{};
  call.deadline_ns = caller.timeout_ == Timeout::DeadlinePassed ? now_ns() - 1 : UINT64_MAX;
  call.trace_id = loans_.text("kbase-plugin-check");
  call.host = caller.host_;
  call.host_data = this;
  call_ = loans_.object(call);
  if (!is_unwinding()) caller.bench_.steps.enter(function);
}

Turn::~Turn() {
  for (const auto& sink : sinks_) sink->close();
  if (!is_unwinding()) caller_.bench_.steps.leave();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start_);
  const std::lock_guard lock(caller_.mutex_);
  if (took >= caller_.longest_.took) caller_.longest_ = {function_, took};
}

std::shared_ptr<SinkState> Turn::new_state(bool stops) {
  return sinks_.emplace_back(std::make_shared<SinkState>(caller_, function_, stops));
}

bool Turn::expect_ok(kb_status status, std::string_view wanted) {
  return caller_.expect(status == KB_OK, wanted, told(status));
}

std::string Turn::told(kb_status status) const {
  const std::string_view why(explanation_.data(), explained_);
  return function_ + " returned " + name_of(status) + (why.empty() ? "" : ": ") + std::string(why);
}

void Turn::explain(const kb_explanation& why) noexcept {
  explained_ = 0;
  take_down(text_of(why.message));
  if (why.detail.size == 0) return;
  take_down(" (");
  take_down(text_of(why.detail));
  take_down(")");
}

void Turn::take_down(std::string_view text) noexcept {
  const std::size_t size = std::min(text.size(), explanation_.size() - explained_);
  std::copy_n(text.data(), size, explanation_.data() + explained_);
  explained_ += size;
}

}  // namespace kbase::plugin_check
