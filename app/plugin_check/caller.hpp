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

/// "KB_CONFLICT", or the number where the headers have no name for it.
std::string name_of(kb_status status);

inline std::string_view text_of(kb_view view) {
  return view.size == 0 ? std::string_view() : std::string_view(view.data, view.size);
}

/// By the monotonic clock that the checker's host lends.
std::uint64_t now_ns();

/// How long the caller is willing to wait.
enum class Timeout { Endless, DeadlinePassed, Cancelled };

/// Who calls a plugin's table: decides how it is lent what it is lent, and takes down what it did wrong. Any thread.
class Caller {
 public:
  Caller(Bench& bench, const kb_host* host, Mode mode = {}, Timeout timeout = Timeout::Endless)
      : bench_(bench), host_(host), mode_(mode), timeout_(timeout), judges_(timeout == Timeout::Endless) {}

  /// Of an impatient caller the outcome of a call is nobody's concern, only that it ends: that one takes nothing down.
  bool expect(bool held, std::string_view wanted, std::string_view seen);

  /// Something that no caller forgives. The same rule is taken down once.
  void fault(std::string_view wanted, std::string_view seen);

  /// From now on a sink that is called once its function has returned is a fault; before, nobody looks at it.
  void watch_late_calls() { watches_late_calls_ = true; }

  /// KB_TABLE_SERIAL: from now on at most one call at a time.
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
  mutable std::mutex mutex_;  // guards what follows
  std::set<std::string, std::less<>> faults_;
  Longest longest_;
};

/// What one call's sink knows: whether it may be called at all. It outlives the call, because a plugin may call it
/// late.
class SinkState {
 public:
  SinkState(Caller& caller, std::string function, bool stops)
      : caller_(caller), function_(std::move(function)), stops_(stops) {}

  /// Counts the row. False: the sink should not have been called, and the row is not to be looked at.
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

/// A sink of the checker's, as `entry` and `data` of a call. The data outlive the process's work.
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

/// One call of the plugin: makes what it is lent, and takes everything back when it ends. One thread.
class Turn {
 public:
  /// `function` as a report names it: "get".
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
  /// A sink that says stop at its first row.
  template <class Row>
  Sink<Row> stopping_sink() {
    return Sink<Row>(new_state(true), {});
  }

  /// The call had to end with KB_OK.
  bool expect_ok(kb_status status, std::string_view wanted);
  /// What is told of a status: its name and what the plugin explained.
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
  std::array<char, 600> explanation_{};  // taken down without allocating: it may be that there is no memory
  std::size_t explained_ = 0;
  std::vector<std::shared_ptr<SinkState>> sinks_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace kbase::plugin_check
