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

/// The configured code-hosting service with its cache, rate limit and request coalescing. If none is configured,
/// look-ups fail because the service is disabled. Each member uses only members declared before it.
class CodeHostService {
 public:
  /// Dependencies; all must outlive the service. `cache` and `counts` may be null.
  struct Parts {
    const config::Settings& settings;
    Platform& platform;
    Backends& backends;
    ports::Cache* cache;
    ports::LookUpCounts* counts = nullptr;
  };
  /// Errors: those of Backends::open_code_host().
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
