// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/doctor/findings.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::cli::doctor {

/// Collects the warnings that back ends log while they are checked. Any thread.
class Warnings final : public ports::EventLog {
 public:
  bool takes(ports::LogLevel level) const override { return level >= ports::LogLevel::Warning; }
  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields) override;

  void tell(Findings& findings) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> said_;  // "EVENT: MESSAGE"
};

}  // namespace kbase::cli::doctor
