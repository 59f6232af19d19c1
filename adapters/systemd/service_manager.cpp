// SPDX-License-Identifier: Apache-2.0
#include "adapters/systemd/service_manager.hpp"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cstdint>

namespace kbase::systemd {
namespace {

void notify(const std::string& assignments) {
  static_cast<void>(::sd_notify(/*unset_environment=*/0, assignments.c_str()));
}

}  // namespace

ServiceManager::ServiceManager() {
  std::uint64_t microseconds = 0;
  if (::sd_watchdog_enabled(/*unset_environment=*/0, &microseconds) > 0)
    watchdog_ = std::chrono::microseconds(microseconds);
}

void ServiceManager::notify_ready(std::string status) const {
  std::replace(status.begin(), status.end(), '\n', ' ');  // a newline would start another assignment
  notify("READY=1\nSTATUS=" + status);
}

void ServiceManager::notify_reloading() const { notify("RELOADING=1\nSTATUS=reloading the configuration"); }

void ServiceManager::notify_stopping() const { notify("STOPPING=1\nSTATUS=finishing active requests"); }

void ServiceManager::notify_alive() const { notify("WATCHDOG=1"); }

}  // namespace kbase::systemd
