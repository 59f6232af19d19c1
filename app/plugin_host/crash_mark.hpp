// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/plugin_host/plugin.hpp"

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

/// Installs a handler for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. On a marked thread it first writes one line to
/// standard error with the signal, the plugin and its file. Then the previous action runs, so that core dump, exit
/// status and other handlers are unaffected. Call it once, before other threads start.
void install_crash_handler();

}  // namespace kbase::plugin_host
