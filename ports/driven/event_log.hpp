// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace kbase::ports {

enum class LogLevel { Debug, Info, Warning, Error };

struct LogField {
  std::string_view name;
  std::string_view value;
};

/// Where events are said to the operator. Any thread; never fails and never blocks longer than a write to standard
/// error. Fields hold no key, no query string and no bare client address.
class EventLog {
 public:
  virtual ~EventLog() = default;

  /// `event` is a fixed name such as "store.opened" that documentation and alerts refer to; `message` is a sentence.
  virtual void log(LogLevel level, std::string_view event, std::string_view message,
                   std::span<const LogField> fields = {}) = 0;
};

}  // namespace kbase::ports
