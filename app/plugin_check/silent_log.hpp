// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/event_log.hpp"

namespace kbase::plugin_check {

/// Discards the plugin's log messages during checks.
class SilentLog final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override {}
};

}  // namespace kbase::plugin_check
