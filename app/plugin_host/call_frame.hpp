// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/plugin_host/host_table.hpp"
#include "app/plugin_host/plugin.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/call.hpp"

namespace kbase::plugin_host {

namespace crash {
/// Initial value of `current`: the thread runs the server's code and has no alternate signal stack yet, which the
/// handler needs to report a stack overflow.
inline constexpr char kNoStack[] = "";
/// Label of the plugin whose code this thread runs; null or kNoStack: the server's code. Volatile, because the signal
/// handler of the same thread reads it. The host is always part of an executable, never of a library, so the local-exec
/// TLS model applies.
[[gnu::tls_model("local-exec")]] extern constinit thread_local const char* volatile current;
/// Returns true if this thread runs a plugin's code.
inline bool is_marked() {
  const char* const whose = current;
  return whose != nullptr && whose != kNoStack;
}
/// Creates the thread's signal stack and sets `current` to null.
[[gnu::cold]] void give_stack();
}  // namespace crash

/// Marks this thread as running a plugin's code for its lifetime, so that a crash report names the plugin. Every call
/// into a plugin has one; marks may nest. Costs one load and two stores.
class CallMark {
 public:
  explicit CallMark(const Plugin& plugin) : CallMark(plugin.label().c_str()) {}

  /// `whose` must outlive the mark, as must the plugin of the other constructor.
  explicit CallMark(const char* whose) : outer_(crash::current) {
    if (outer_ == crash::kNoStack) [[unlikely]] {
      crash::give_stack();
      outer_ = nullptr;
    }
    crash::current = whose;
  }
  ~CallMark() { crash::current = outer_; }
  CallMark(const CallMark&) = delete;
  CallMark& operator=(const CallMark&) = delete;

 private:
  const char* outer_;
};

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
      : host_(host), turn_(turn), function_(function), origin_(call) {
    call_.struct_size = sizeof(kb_call);
    call_.deadline_ns = sdk::nanoseconds_of(call.deadline);
    call_.trace_id = sdk::view_of(call.trace_id);
    call_.host = host.table();
    call_.host_data = this;
    call_.flags = call.is_quick ? KB_CALL_IS_QUICK : 0;
    if (turn_ != nullptr) [[unlikely]]
      turn_->lock();
  }
  ~CallFrame() {
    if (sink_ != nullptr) innermost_ = outer_;
    host_.close_exchanges_of(this);
    if (turn_ != nullptr) [[unlikely]]
      turn_->unlock();
    if (explanation_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      delete_explanation();
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
      report_violation("threw an exception");
      return KB_INTERNAL;
    }
  }

  // Convert a function's status to a result. Each rethrows what the visitor threw, because the plugin has returned by
  // then.

  /// For a function that returns only KB_OK or a failure.
  Status finish(kb_status status) {
    if (status == KB_OK && !closed_) [[likely]]
      return {};
    return outcome(status);
  }

  /// For a function that also returns a value with KB_OK.
  template <class Value> Result<Value> finish(kb_status status, const Value& value) {
    if (status == KB_OK && !closed_) [[likely]]
      return value;
    return failed(status, value);
  }

  /// As finish(), for a struct that the plugin filled in.
  template <class Value, class Row> Result<Value> finish_struct(kb_status status, const Row& row) {
    KBASE_TRY(finish(status));
    return sdk::FromC().row<Value>(row);
  }

  /// For create(), where KB_NOT_FOUND is a failure too.
  Status finish_create(kb_status status);

  /// For begin(): returns the batch of the plugin's writer.
  template <class Proxy, class Writer, class Instance, class Handle>
  Result<std::unique_ptr<Writer>> finish_writer(kb_status status, Instance& instance, Handle* writer) {
    if (status == KB_OK && writer == nullptr) report_violation("returned KB_OK without a batch");
    KBASE_TRY(finish(status));
    return std::unique_ptr<Writer>(std::make_unique<Proxy>(instance, writer));
  }

  /// For a function that a sink may have stopped.
  Status finish_rows(kb_status status) { return finish(status == KB_STOPPED && stopped_ ? KB_OK : status); }

  /// Like finish_rows(status), for a function that returns a value after its rows. Error: Cancelled if the visitor
  /// stopped.
  Result<std::uint64_t> finish_rows(kb_status status, std::uint64_t value);

  /// For a function that may find nothing. False: it found nothing.
  Result<bool> finish_found(kb_status status);

  /// For a function for which finding nothing is the failure NotFound with this message.
  Status finish_found(kb_status status, const char* missing);

  /// As finish_found(), for a function that returns a day.
  Result<std::optional<model::Day>> finish_day(kb_status status, std::int32_t day);

  /// As finish_found(), for a function that passes exactly one row to a sink if it finds something.
  Result<bool> finish_one(kb_status status);
  Status finish_one(kb_status status, const char* missing) {
    if (status == KB_OK && rows_ == 1 && !closed_) [[likely]]
      return {};
    check_rows(status);
    return finish_found(status, missing);
  }

  /// As finish_one(), for a function whose row was copied.
  template <class Value> Result<std::optional<Value>> finish_copy(kb_status status, std::optional<Value>& copy) {
    KBASE_TRY(finish_one(status));
    return std::move(copy);
  }

  // Used by sinks.

  static constexpr std::int32_t kContinue = 0;
  static constexpr std::int32_t kStop = 1;

  /// Sets the only sink of this call; `sink` must live until the plugin returns.
  template <class Sink> void attach(Sink& sink, std::uint64_t max_rows) noexcept {
    outer_ = std::exchange(innermost_, this);
    sink_ = &sink;
    sink_kind_ = &kKind<Sink>;
    max_rows_ = max_rows;
  }

  /// Returns the sink for a plugin's `data`, or null if `data` is not the current sink of this thread.
  template <class Sink> static Sink* sink_of(void* data) noexcept {
    const CallFrame* const frame = innermost_;
    if (frame == nullptr || data == nullptr || frame->sink_ != data || frame->sink_kind_ != &kKind<Sink>)
      return nullptr;
    return static_cast<Sink*>(data);
  }

  /// Receives one row. `read` converts it and returns the violation or null; `pass` passes the value to the visitor.
  /// Does not throw.
  template <class Read, class Pass> std::int32_t receive(Read read, Pass pass) noexcept {
    if (closed_) return kStop;
    if (rows_ == max_rows_) return report_violation("passed more rows than were requested");
    ++rows_;
    try {
      if (const char* const violation = read()) return report_violation(violation);
      if (pass() == Visit::Continue) [[likely]]
        return kContinue;
      closed_ = stopped_ = true;
    } catch (...) {
      store_exception();
    }
    return kStop;
  }

  /// Called in a catch handler: stores the exception until the plugin has returned.
  void store_exception() noexcept {
    thrown_ = std::current_exception();
    closed_ = true;
  }

  /// Records a contract violation; the text is a string literal that continues "the plugin". The call fails, whatever
  /// its status. Returns kStop.
  std::int32_t report_violation(const char* violation) noexcept {
    if (violation_ == nullptr) violation_ = violation;
    closed_ = true;
    return kStop;
  }

  /// True: what the plugin passes is checked. See HostTable.
  bool is_validating() const noexcept { return host_.is_validating(); }
  bool stopped() const noexcept { return stopped_; }
  std::uint64_t rows() const noexcept { return rows_; }

  // Functions of kb_host.
  static void explain(kb_call* call, const kb_explanation* why) noexcept;
  static std::int32_t cancelled(const kb_call* call) noexcept;

 private:
  /// Its address identifies the type of a sink.
  template <class Sink> static constexpr char kKind = 0;

  struct Explanation {
    std::string message, detail, parameter;
    std::chrono::milliseconds retry_after{0};
  };

  /// Reports a violation if the number of rows contradicts the status.
  void check_rows(kb_status status) noexcept;
  // Rare cases are out of line, so that the common path needs few registers.
  [[gnu::cold, gnu::noinline]] Status outcome(kb_status status);
  template <class Value> [[gnu::cold, gnu::noinline]] Result<Value> failed(kb_status status, const Value& value) {
    KBASE_TRY(this->outcome(status));
    return value;
  }
  [[gnu::cold, gnu::noinline]] void delete_explanation() noexcept;
  Error contract_violation(std::string_view what) const;
  Error explained_error(ErrorCode code);
  std::string name() const;

  [[gnu::tls_model("local-exec")]] static inline constinit thread_local CallFrame* innermost_ = nullptr;

  const HostTable& host_;
  std::mutex* const turn_;
  const char* const function_;
  const ports::Call& origin_;
  kb_call call_{};

  const void* sink_ = nullptr;
  const void* sink_kind_;   // type of the sink, if there is one
  std::uint64_t max_rows_;  // row limit of the sink
  CallFrame* outer_;        // the innermost frame before this one
  std::uint64_t rows_ = 0;
  const char* violation_ = nullptr;
  std::exception_ptr thrown_;
  std::atomic<Explanation*> explanation_{nullptr};  // owned; atomic because a plugin may explain from its own threads
  bool closed_ = false;                             // the sink accepts no more rows: it was stopped, or the call fails
  bool stopped_ = false;                            // the visitor stopped the sink
};

/// Installs a handler for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. On a marked thread it first writes one line to
/// standard error with the signal, the plugin and its file. Then the previous action runs, so that core dump, exit
/// status and other handlers are unaffected. Call it once, before other threads start.
void install_crash_handler();

}  // namespace kbase::plugin_host
