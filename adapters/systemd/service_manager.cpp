// SPDX-License-Identifier: Apache-2.0
#include "adapters/systemd/service_manager.hpp"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cstdint>

namespace kbase::systemd {
namespace {

void tell(const std::string& news) {
  static_cast<void>(::sd_notify(/*unset_environment=*/0, news.c_str()));
}

}  // namespace

ServiceManager::ServiceManager() {
  std::uint64_t microseconds = 0;
  if (::sd_watchdog_enabled(/*unset_environment=*/0, &microseconds) > 0)
    watchdog_ = std::chrono::microseconds(microseconds);
}

void ServiceManager::tell_ready(std::string status) const {
  std::replace(status.begin(), status.end(), '\n', ' ');  // a newline would start another assignment
  tell("READY=1\nSTATUS=" + status);
}

void ServiceManager::tell_reloading() const {
  tell("RELOADING=1\nSTATUS=reading the configuration again");
}

void ServiceManager::tell_stopping() const {
  tell("STOPPING=1\nSTATUS=finishing what is in flight");
}

void ServiceManager::tell_alive() const {
  tell("WATCHDOG=1");
}

}  // namespace kbase::systemd
