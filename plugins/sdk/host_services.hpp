// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/random.hpp"

/// What the server lends, as ports. Of a host that is older than a function, the nearest thing of the system's.
namespace kbase::sdk {

/// The host's clocks, which a checker sets.
class HostClock final : public ports::Clock {
 public:
  explicit HostClock(const kb_host& host) : host_(host) {}
  model::Instant now() const override;
  std::chrono::steady_clock::time_point steady() const override;

 private:
  const kb_host& host_;
};

/// The host's log. It takes a sentence and no fields, so these follow it as "name=value".
class HostLog final : public ports::EventLog {
 public:
  explicit HostLog(const kb_host& host) : host_(host) {}
  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields = {}) override;

 private:
  const kb_host& host_;
};

/// The kernel's random numbers, getrandom(2): for those no host is needed.
class KernelRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

}  // namespace kbase::sdk
