// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "app/runtime/coalesced_look_ups.hpp"
#include "app/runtime/periodic_task.hpp"
#include "app/runtime/service_probes.hpp"
#include "domain/usecases/look_up_user.hpp"

namespace kbase::composition {

/// The code host that the configuration names, with all that stands in front of it. Where it names none, the desk
/// answers that the service is disabled. What it is made of stands in the order in which one part uses another.
class CodeHostService {
 public:
  /// What a desk is opened with; all of it outlives it. The cache and the counts may be null.
  struct Parts {
    const config::Settings& settings;
    Platform& platform;
    Backends& backends;
    ports::Cache* cache;
    ports::LookUpCounts* counts = nullptr;
  };
  /// Errors: as Backends::open_code_host.
  static model::Result<std::unique_ptr<CodeHostService>> open(const Parts& parts);

  CodeHostService(const Parts& parts, std::unique_ptr<ports::CodeHost> host,
                  std::unique_ptr<ports::RateLimitStore> turns);

  ports::CodeHostUsers& users() { return users_; }

  /// See watch_service().
  std::unique_ptr<runtime::PeriodicTask> watch(runtime::ServiceProbes& probes) const;

 private:
  const Parts parts_;
  const std::unique_ptr<ports::CodeHost> host_;
  const std::unique_ptr<ports::RateLimitStore> turns_;
  const std::unique_ptr<const ports::UserWriters> documents_;
  usecases::LookUpUser look_up_;
  runtime::CoalescedLookUps users_;
};

}  // namespace kbase::composition
