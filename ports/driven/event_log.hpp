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
  std::variant<std::string_view, std::uint64_t> value;  ///< a number stays one where the log has such a thing
};

/// Where events are said to the operator. Any thread; never fails and never blocks longer than a write to standard
/// error. Fields hold no key, no query string and no bare client address.
class EventLog {
 public:
  virtual ~EventLog() = default;

  /// Whether events of this level are said at all, for callers whose fields take work to make.
  virtual bool takes(LogLevel) const { return true; }

  /// `event` is a fixed name such as "store.opened" that documentation and alerts refer to; `message` is a sentence.
  virtual void log(LogLevel level, std::string_view event, std::string_view message,
                   std::span<const LogField> fields = {}) = 0;
};

}  // namespace kbase::ports
