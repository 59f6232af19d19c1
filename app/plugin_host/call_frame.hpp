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

/// One call of a plugin's function: the kb_call that travels with it, what the plugin explains on it, and what the rows
/// that it lends to the server's sink came to. Lives on the caller's stack; one thread, save explain and cancelled,
/// which the plugin may ask from any.
///
/// A sink takes rows only while its call is the innermost one of its thread that has a sink. So one that a plugin kept,
/// or hands to another thread, is refused without being looked at: it answers "stop".
///
/// Errors: the status and the explanation as the plugin gave them, `detail` after the plugin's id and the function.
/// Internal, for what breaks the rules of the port: a status that the function can't have, a row that is none.
class CallFrame {
 public:
  /// `function` is a literal, "item_store.get". A mutex is held as long as the frame lives: the plugin takes one call
  /// at a time; null: any number.
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

  /// Calls the plugin. An exception that unwinds out of it, where the two share a runtime, is a broken rule.
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

  // What a function's status comes to. Each throws what the visitor threw, now that the plugin has returned.

  /// Of a function that says nothing but KB_OK and failures.
  model::Status done(kb_status status) {
    if (status == KB_OK && !closed_) [[likely]]
      return {};
    return outcome(status);
  }

  /// The same, of a function that gives a value with KB_OK.
  template <class Value>
  model::Result<Value> done(kb_status status, const Value& value) {
    if (status == KB_OK && !closed_) [[likely]]
      return value;
    return undone(status, value);
  }

  /// Of create(): KB_NOT_FOUND is a failure, too.
  model::Status made(kb_status status);

  /// Of one that a sink may have stopped.
  model::Status visited(kb_status status) { return done(status == KB_STOPPED && stopped_ ? KB_OK : status); }

  /// Of one that may find nothing. False: it did not.
  model::Result<bool> found(kb_status status);

  /// The same where to find nothing is the failure NotFound with this message.
  model::Status found_or(kb_status status, const char* missing);

  /// As found(), of a function that lends exactly what was found to a sink.
  model::Result<bool> found_one(kb_status status);

  /// As found_or(), of such a function.
  model::Status found_one_or(kb_status status, const char* missing) {
    if (status == KB_OK && rows_ == 1 && !closed_) [[likely]]
      return {};
    check_rows(status);
    return found_or(status, missing);
  }

  // For sinks.

  static constexpr std::int32_t kGoOn = 0;
  static constexpr std::int32_t kStop = 1;

  /// From now on the call has this sink, and no other; `Sink` outlives the plugin's part of the call.
  template <class Sink>
  void attach(Sink& sink, std::uint64_t most_rows) noexcept {
    outer_ = std::exchange(innermost_, this);
    sink_ = &sink;
    sink_kind_ = &kKind<Sink>;
    most_rows_ = most_rows;
  }

  /// The sink that a plugin's `data` leads to; null: it leads to none that may be used.
  template <class Sink>
  static Sink* sink_of(void* data) noexcept {
    const CallFrame* const frame = innermost_;
    if (frame == nullptr || data == nullptr || frame->sink_ != data || frame->sink_kind_ != &kKind<Sink>)
      return nullptr;
    return static_cast<Sink*>(data);
  }

  /// Takes one row: makes `row` of what was `lent` and shows it to the visitor. Nothing escapes it.
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

  /// In a handler: the exception waits here until the plugin has returned.
  void park() noexcept {
    thrown_ = std::current_exception();
    closed_ = true;
  }

  /// The plugin broke a rule: "lent ...", "said ...", a literal. The call fails, whatever its status. Answers kStop.
  std::int32_t report_violation(const char* fault) noexcept {
    if (violation_ == nullptr) violation_ = fault;
    closed_ = true;
    return kStop;
  }

  bool stopped() const noexcept { return stopped_; }
  std::uint64_t rows() const noexcept { return rows_; }

  // Members of kb_host.
  static void explain(kb_call* call, const kb_explanation* why) noexcept;
  static std::int32_t cancelled(const kb_call* call) noexcept;

 private:
  /// Whose address tells one type of sink from another.
  template <class Sink>
  static constexpr char kKind = 0;

  struct Explanation {
    std::string message, detail, parameter;
    std::chrono::milliseconds retry_after{0};
  };

  /// Accuses a plugin that lent one row and said that there is none, or the other way round.
  void check_rows(kb_status status) noexcept;
  // Apart, and not inlined, what happens to few calls: so those of every call need few registers.
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
  const void* sink_kind_;    // of the sink, where there is one
  std::uint64_t most_rows_;  // its bound
  CallFrame* outer_;         // the innermost before it
  std::uint64_t rows_ = 0;
  const char* violation_ = nullptr;
  std::exception_ptr thrown_;
  std::atomic<Explanation*> explanation_{nullptr};  // owned; a plugin may explain from threads of its own
  bool closed_ = false;                             // the sink takes no more: it was stopped, or the call fails
  bool stopped_ = false;                            // because the visitor said so
};

}  // namespace kbase::plugin_host
