// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace kbase::systemd {

/// Notifications to systemd, by the protocol of sd_notify(3). Does nothing if NOTIFY_SOCKET is not set in the
/// environment. A message that cannot be delivered is dropped; systemd then applies its own timeouts. Thread-safe.
class ServiceManager {
 public:
  ServiceManager();

  /// Reports that the start, or a reload, is complete. `status` is a text for people.
  void notify_ready(std::string status) const;
  void notify_reloading() const;
  void notify_stopping() const;
  void notify_alive() const;

  /// Interval within which notify_alive() must be called, or systemd ends the process; nullopt: no watchdog.
  std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

 private:
  std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace kbase::systemd
