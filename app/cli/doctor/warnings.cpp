// SPDX-License-Identifier: Apache-2.0
#include "app/cli/doctor/warnings.hpp"

namespace kbase::cli::doctor {

void Warnings::log(ports::LogLevel level, std::string_view event, std::string_view message,
                   std::span<const ports::LogField>) {
  if (!takes(level)) return;
  const std::lock_guard lock(mutex_);
  said_.push_back(std::string(event).append(": ").append(message));
}

void Warnings::tell(Findings& findings) const {
  const std::lock_guard lock(mutex_);
  if (said_.empty()) return findings.ok("warnings", "no back end warned of anything");
  for (const std::string& said : said_)
    findings.warn("warnings", said, "the manual's page Log events says what to do about this event");
}

}  // namespace kbase::cli::doctor
