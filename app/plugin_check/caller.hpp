// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/plugin_check/check.hpp"
#include "app/plugin_check/lending.hpp"

namespace kbase::plugin_check {

/// Returns "KB_CONFLICT", or the number if the headers define no name for it.
std::string name_of(kb_status status);

inline std::string_view text_of(kb_view view) {
  return view.size == 0 ? std::string_view() : std::string_view(view.data, view.size);
}

/// Time of the monotonic clock that the checker's host provides.
std::uint64_t now_ns();

/// Deadline and cancellation state of a caller's calls.
enum class Timeout { Endless, DeadlinePassed, Cancelled };

/// Calls a plugin's table: selects how arguments are passed and records contract violations. Thread-safe.
class Caller {
 public:
  Caller(Bench& bench, const kb_host* host, Mode mode = {}, Timeout timeout = Timeout::Endless)
      : bench_(bench), host_(host), mode_(mode), timeout_(timeout), judges_(timeout == Timeout::Endless) {}

  /// Records a violation if `held` is false. A caller with a passed deadline or a cancelled call records nothing: for
  /// such a call only its duration matters, not its outcome.
  bool expect(bool held, std::string_view wanted, std::string_view seen);

  /// Records a violation regardless of the timeout. Each rule is recorded once.
  void fault(std::string_view wanted, std::string_view seen);

  /// From now on, a call to a sink after its function has returned is a violation; before, it is ignored.
  void watch_late_calls() { watches_late_calls_ = true; }

  /// For KB_TABLE_SERIAL: from now on at most one call at a time.
  void serialise() { serial_ = true; }

  /// The call that took longest.
  struct Longest {
    std::string function;
    std::chrono::milliseconds took{0};
  };
  Longest longest() const;

 private:
  friend class Turn;
  friend class SinkState;

  Bench& bench_;
  const kb_host* host_;
  Mode mode_;
  Timeout timeout_;
  bool judges_;
  bool watches_late_calls_ = false;
  bool serial_ = false;
  std::mutex serial_mutex_;
  mutable std::mutex mutex_;  // guards the members below
  std::set<std::string, std::less<>> faults_;
  Longest longest_;
};

/// State of one call's sink: whether it may be called. Shared with the sink, because a plugin may call the sink after
/// the call has returned.
class SinkState {
 public:
  SinkState(Caller& caller, std::string function, bool stops)
      : caller_(caller), function_(std::move(function)), stops_(stops) {}

  /// Counts the row. False: the sink must not have been called, and the row must not be read.
  bool admit();
  void close() { is_open_ = false; }

  int rows() const { return rows_; }
  bool stops() const { return stops_; }

 private:
  Caller& caller_;
  std::string function_;
  bool stops_;
  std::atomic<bool> is_open_{true};
  std::atomic<int> rows_{0};
};

/// A sink of the checker, passed to a call as `entry` and `data`. The data live until the process ends.
template <class Row>
class Sink {
 public:
  using Look = std::function<void(Row)>;

  Sink(std::shared_ptr<SinkState> state, Look look) : held_(new Held{std::move(state), std::move(look)}) {
    keep(std::shared_ptr<void>(held_, [](void* held) { delete static_cast<Held*>(held); }));
  }

  static std::int32_t entry(void* data, Row row) {
    Held& held = *static_cast<Held*>(data);
    if (!held.state->admit()) return 1;
    if (held.look) held.look(row);
    return held.state->stops() ? 1 : 0;
  }
  void* data() const { return held_; }
  int rows() const { return held_->state->rows(); }

 private:
  struct Held {
    std::shared_ptr<SinkState> state;
    Look look;
  };
  static void keep(std::shared_ptr<void> held) {
    static std::mutex mutex;
    static auto& kept = *new std::vector<std::shared_ptr<void>>();
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(held));
  }

  Held* held_;
};

/// One call of the plugin: creates its arguments, and invalidates them when it ends. Not thread-safe.
class Turn {
 public:
  /// `function` is the name used in reports: "get".
  Turn(Caller& caller, std::string_view function);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  static Turn& of(const kb_call& call) { return *static_cast<Turn*>(call.host_data); }

  kb_call* call() { return call_; }
  Loans& lend() { return loans_; }

  template <class Row>
  Sink<Row> sink(std::function<void(Row)> look = {}) {
    return Sink<Row>(new_state(false), std::move(look));
  }
  /// A sink that returns "stop" at its first row.
  template <class Row>
  Sink<Row> stopping_sink() {
    return Sink<Row>(new_state(true), {});
  }

  /// Expects that the call returned KB_OK.
  bool expect_ok(kb_status status, std::string_view wanted);
  /// Describes a status for the report: its name and the plugin's explanation.
  std::string told(kb_status status) const;

  bool is_cancelled() const { return caller_.timeout_ == Timeout::Cancelled; }
  void explain(const kb_explanation& why) noexcept;
  bool is_explained() const { return explained_ > 0; }

 private:
  std::shared_ptr<SinkState> new_state(bool stops);
  void take_down(std::string_view text) noexcept;

  Caller& caller_;
  std::string function_;
  std::unique_lock<std::mutex> serial_;
  Loans loans_;
  kb_call* call_;
  std::array<char, 600> explanation_{};  // fixed size: written without allocation, because memory may be exhausted
  std::size_t explained_ = 0;
  std::vector<std::shared_ptr<SinkState>> sinks_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace kbase::plugin_check
