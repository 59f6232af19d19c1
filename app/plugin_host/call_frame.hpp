// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "app/plugin_host/crash_mark.hpp"
#include "app/plugin_host/host_table.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/call.hpp"

namespace kbase::plugin_host {

/// One call of a plugin's function: its kb_call, the explanation that the plugin gives, and the state of its sink.
/// Lives on the caller's stack. Not thread-safe, except explain and cancelled, which the plugin may call from any
/// thread.
///
/// A sink accepts rows only while its call is the innermost call with a sink on its thread. A sink that the plugin kept
/// after the call or passed to another thread is never dereferenced; the call returns "stop".
///
/// Errors: the plugin's status and explanation; `detail` is prefixed with the plugin's id and the function. Internal if
/// the plugin violated the port's contract, for example with a status that the function cannot return or an invalid
/// row.
class CallFrame {
 public:
  /// `function` is a string literal, "item_store.get". `turn`: a mutex that is locked for the lifetime of the frame,
  /// for a plugin that allows one call at a time; null: no limit.
  CallFrame(const HostTable& host, std::mutex* turn, const char* function, ports::Call& call) noexcept
      : host_(host), turn_(turn), function_(function), origin_(call), call_{sizeof(kb_call),
                                                                            0,
                                                                            sdk::nanoseconds_of(call.deadline),
                                                                            sdk::view_of(call.trace_id),
                                                                            host.table(),
                                                                            this} {
    if (turn_ != nullptr) [[unlikely]]
      turn_->lock();
  }
  ~CallFrame() {
    if (sink_ != nullptr) innermost_ = outer_;
    host_.close_exchanges_of(this);
    if (turn_ != nullptr) [[unlikely]]
      turn_->unlock();
    if (explanation_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      forget_explanation();
  }
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  kb_call* call() noexcept { return &call_; }

  /// Calls the plugin. An exception that leaves the plugin, which can happen if both share a C++ runtime, is a contract
  /// violation.
  template <class... Parameters, class... Arguments>
  kb_status run(kb_status (*const& function)(Parameters...), const Arguments&... arguments) {
    const CallMark mark(host_.label().c_str());
    try {
      return function(arguments...);
    } catch (...) {
      report_violation("let an exception out");
      return KB_INTERNAL;
    }
  }

  // Convert a function's status to a result. Each rethrows what the visitor threw, because the plugin has returned by
  // then.

  /// For a function that returns only KB_OK or a failure.
  model::Status done(kb_status status) {
    if (status == KB_OK && !closed_) [[likely]]
      return {};
    return outcome(status);
  }

  /// For a function that also returns a value with KB_OK.
  template <class Value>
  model::Result<Value> done(kb_status status, const Value& value) {
    if (status == KB_OK && !closed_) [[likely]]
      return value;
    return undone(status, value);
  }

  /// For create(), where KB_NOT_FOUND is a failure too.
  model::Status made(kb_status status);

  /// For a function that a sink may have stopped.
  model::Status visited(kb_status status) { return done(status == KB_STOPPED && stopped_ ? KB_OK : status); }

  /// For a function that may find nothing. False: it found nothing.
  model::Result<bool> found(kb_status status);

  /// For a function for which finding nothing is the failure NotFound with this message.
  model::Status found_or(kb_status status, const char* missing);

  /// As found(), for a function that passes exactly one row to a sink if it finds something.
  model::Result<bool> found_one(kb_status status);

  /// As found_or(), for a function that passes exactly one row to a sink if it finds something.
  model::Status found_one_or(kb_status status, const char* missing) {
    if (status == KB_OK && rows_ == 1 && !closed_) [[likely]]
      return {};
    check_rows(status);
    return found_or(status, missing);
  }

  // Used by sinks.

  static constexpr std::int32_t kGoOn = 0;
  static constexpr std::int32_t kStop = 1;

  /// Sets the only sink of this call; `sink` must live until the plugin returns.
  template <class Sink>
  void attach(Sink& sink, std::uint64_t most_rows) noexcept {
    outer_ = std::exchange(innermost_, this);
    sink_ = &sink;
    sink_kind_ = &kKind<Sink>;
    most_rows_ = most_rows;
  }

  /// Returns the sink for a plugin's `data`, or null if `data` is not the current sink of this thread.
  template <class Sink>
  static Sink* sink_of(void* data) noexcept {
    const CallFrame* const frame = innermost_;
    if (frame == nullptr || data == nullptr || frame->sink_ != data || frame->sink_kind_ != &kKind<Sink>)
      return nullptr;
    return static_cast<Sink*>(data);
  }

  /// Receives one row: converts `lent` to `row` and passes it to the visitor. Does not throw.
  template <class Reader, class Row, class Visitor, class... Lent>
  std::int32_t take_row(Reader& reader, Row& row, Visitor visitor, Lent... lent) noexcept {
    if (closed_) return kStop;
    if (rows_ == most_rows_) return report_violation("lent more rows than were asked for");
    ++rows_;
    try {
      if (const char* const fault = reader.read(lent..., row)) return report_violation(fault);
      if (visitor(row) == model::Visit::Continue) [[likely]]
        return kGoOn;
      closed_ = stopped_ = true;
    } catch (...) {
      park();
    }
    return kStop;
  }

  /// Called in a catch handler: stores the exception until the plugin has returned.
  void park() noexcept {
    thrown_ = std::current_exception();
    closed_ = true;
  }

  /// Records a contract violation; `fault` is a string literal, "lent ...", "said ...". The call fails, whatever its
  /// status. Returns kStop.
  std::int32_t report_violation(const char* fault) noexcept {
    if (violation_ == nullptr) violation_ = fault;
    closed_ = true;
    return kStop;
  }

  bool stopped() const noexcept { return stopped_; }
  std::uint64_t rows() const noexcept { return rows_; }

  // Functions of kb_host.
  static void explain(kb_call* call, const kb_explanation* why) noexcept;
  static std::int32_t cancelled(const kb_call* call) noexcept;

 private:
  /// Its address identifies the type of a sink.
  template <class Sink>
  static constexpr char kKind = 0;

  struct Explanation {
    std::string message, detail, parameter;
    std::chrono::milliseconds retry_after{0};
  };

  /// Reports a violation if the number of rows contradicts the status.
  void check_rows(kb_status status) noexcept;
  // Rare cases are out of line, so that the common path needs few registers.
  [[gnu::cold, gnu::noinline]] model::Status outcome(kb_status status);
  template <class Value>
  [[gnu::cold, gnu::noinline]] model::Result<Value> undone(kb_status status, const Value& value) {
    if (const auto outcome = this->outcome(status); !outcome) return outcome.error();
    return value;
  }
  [[gnu::cold, gnu::noinline]] void forget_explanation() noexcept;
  model::Error broken_rule(std::string_view what) const;
  model::Error explained(model::ErrorCode code);
  std::string place() const;

  [[gnu::tls_model("local-exec")]] static inline constinit thread_local CallFrame* innermost_ = nullptr;

  const HostTable& host_;
  std::mutex* const turn_;
  const char* const function_;
  const ports::Call& origin_;
  kb_call call_;

  const void* sink_ = nullptr;
  const void* sink_kind_;    // type of the sink, if there is one
  std::uint64_t most_rows_;  // row limit of the sink
  CallFrame* outer_;         // the innermost frame before this one
  std::uint64_t rows_ = 0;
  const char* violation_ = nullptr;
  std::exception_ptr thrown_;
  std::atomic<Explanation*> explanation_{nullptr};  // owned; atomic because a plugin may explain from its own threads
  bool closed_ = false;                             // the sink accepts no more rows: it was stopped, or the call fails
  bool stopped_ = false;                            // the visitor stopped the sink
};

}  // namespace kbase::plugin_host
