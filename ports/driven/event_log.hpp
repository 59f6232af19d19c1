// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace kbase::ports {

enum class LogLevel { Debug, Info, Warning, Error };

struct LogField {
  std::string_view name;
  std::variant<std::string_view, std::uint64_t> value;  ///< numbers stay numbers if the log format supports them
};

/// Writes events for the operator. Any thread; never fails and never blocks longer than a write to standard error.
/// Fields contain no key, no query string and no unhashed client address.
class EventLog {
 public:
  virtual ~EventLog() = default;

  /// Whether events of this level are logged. Lets callers skip the work of preparing fields.
  virtual bool is_enabled(LogLevel) const { return true; }

  /// `event` is a stable name such as "store.opened" that documentation and alerts refer to. `message` is a sentence;
  /// empty: the event and its fields say all.
  virtual void log(LogLevel level, std::string_view event, std::string_view message,
                   std::span<const LogField> fields = {}) = 0;

  /// Returns once the events logged before are written, or after a second. A process that is killed loses the events
  /// that are not written, so flush an event before you store that it was reported.
  virtual void flush() {}
};

}  // namespace kbase::ports
