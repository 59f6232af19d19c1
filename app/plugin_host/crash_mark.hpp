// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/plugin_host/plugin.hpp"

namespace kbase::plugin_host {

namespace crash {
/// What a thread starts with: it runs our own code, and has no stack apart for the signal handler yet, which the end of
/// its own one needs.
inline constexpr char kNoStack[] = "";
/// Whose code this thread runs; null or kNoStack: our own. Volatile, because the signal handler of the same thread
/// reads it. The host is part of a program, never of a library, so that thread-locals are found without a call.
[[gnu::tls_model("local-exec")]] extern constinit thread_local const char* volatile current;
/// Whether this thread runs a plugin's code.
inline bool is_marked() {
  const char* const whose = current;
  return whose != nullptr && whose != kNoStack;
}
/// Afterwards `current` is null.
[[gnu::cold]] void give_stack();
}  // namespace crash

/// Says, as long as it lives, that this thread runs a plugin's code, so that a crash there is told by the plugin's
/// name. One around each call into a plugin; they may nest. A load and two stores.
class CallMark {
 public:
  explicit CallMark(const Plugin& plugin) : CallMark(plugin.label().c_str()) {}

  /// The text outlives the mark, as does the plugin above.
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

/// From now on a fatal signal (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) on a marked thread first writes one line to
/// standard error that names the signal, the plugin and its file. Then happens whatever would have happened before this
/// call: core dump, exit status and another handler stay right. Called once, before other threads start.
void install_crash_handler();

}  // namespace kbase::plugin_host
