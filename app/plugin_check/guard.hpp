// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/plugin_check/contained.hpp"
#include "plugins/conformance/suite.hpp"
#include "plugins/sdk/generated/bindings.hpp"

namespace kbase::plugin_check {

/// How the guard changes the calls of a plugin.
struct GuardMode {
  enum class Memory {
    Plain,
    AtTheEdge,    ///< each argument ends at the end of readable memory and is unmapped after the call
    Overwritten,  ///< each argument is overwritten after the call
  };
  enum class Timeout { None, DeadlinePassed, Cancelled };

  Memory memory = Memory::Plain;
  /// Structs are larger than the plugin's header defines them, as from a newer server.
  bool longer_structs = false;
  /// Each sink returns "stop" at its first row.
  bool stops_sinks = false;
  Timeout timeout = Timeout::None;
  /// Bytes that the plugin can still allocate during a call.
  std::optional<std::size_t> memory_left = std::nullopt;
};

/// Stands between the server's proxies and the tables of a plugin. Passes a copy of each argument, reports sinks that
/// are called when they must not be, and measures the calls. The kb_host that the plugin gets ends with the last member
/// of ABI 1.0, at the end of readable memory. One per process, because a C function has no place for its state.
/// Thread-safe, except for `mode`.
class Guard {
 public:
  /// Both must outlive the guard.
  Guard(Steps& steps, conformance::Report& report);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// Returns a table whose functions call those of `table`, which is static. One table for each port.
  template <class Port>
  const typename sdk::CBinding<Port>::Table& wrap(const typename sdk::CBinding<Port>::Table& table);

  /// Releases the copy of `host` that the plugin got. Call it when the instances with this host are destroyed.
  static void forget(const kb_host& host);

  /// For the calls that begin from now on.
  GuardMode mode;

  /// The call that took longest.
  struct Longest {
    std::string function;
    std::chrono::milliseconds took{0};
  };
  Longest take_longest();

  /// Adds the violations found so far to the report. The destructor does this too.
  void flush();

  /// Number of calls in which a sink was stopped.
  int stopped_sinks() const { return stopped_sinks_; }

 private:
  friend class GuardedCall;
  friend struct GuardedSink;

  void report(std::string_view expected, std::string observed);

  Steps& steps_;
  conformance::Report& report_;
  std::mutex mutex_;  // guards the members below
  Longest longest_;
  int stopped_sinks_ = 0;
  std::vector<std::pair<std::string, std::string>> violations_;  // expected, observed; reported at the end
  std::vector<std::shared_ptr<void>> kept_;  // sinks and overwritten memory, for as long as a plugin may use them
};

}  // namespace kbase::plugin_check
