// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace kbase::systemd {

/// The service manager that started this process, which wants to hear how it is: systemd, by the protocol of
/// sd_notify(3). Where none does, that is without NOTIFY_SOCKET in the environment, nothing happens. A message that
/// cannot be delivered is dropped: the manager draws its own conclusions. Any thread.
class ServiceManager {
 public:
  ServiceManager();

  /// The start, or a reload, is over; `status` is for people.
  void tell_ready(std::string status) const;
  void tell_reloading() const;
  void tell_stopping() const;
  void tell_alive() const;

  /// After how long without tell_alive() it ends the process; nullopt: it does not.
  std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

 private:
  std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace kbase::systemd
