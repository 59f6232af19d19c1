// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/plugin_host/plugin.hpp"

namespace kbase::plugin_host {

namespace crash {
/// Whose code this thread runs; null: our own. Volatile, because the signal handler of the same thread reads it.
extern constinit thread_local const char* volatile current;
/// Whether this thread has a stack apart for the signal handler, which the end of its own one needs.
extern constinit thread_local bool has_stack;
void give_stack();
}  // namespace crash

/// Says, as long as it lives, that this thread runs a plugin's code, so that a crash there is told by the plugin's
/// name. One around each call into a plugin; they may nest. A load and two stores.
class CallMark {
 public:
  explicit CallMark(const Plugin& plugin) : CallMark(plugin.label().c_str()) {}

  /// The text outlives the mark, as does the plugin above.
  explicit CallMark(const char* whose) : outer_(crash::current) {
    if (!crash::has_stack) [[unlikely]]
      crash::give_stack();
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
