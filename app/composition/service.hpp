// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {

/// The whole server: back ends, use cases, background tasks and the HTTP server, wired according to the settings.
class Service {
 public:
  /// Opens everything and accepts connections. The platform and the settings must outlive the service.
  static Result<std::unique_ptr<Service>> start(const config::Settings& settings, Platform& platform);
  ~Service();

  /// "http://ADDRESS:PORT/api/v1".
  std::string url() const;

  /// Returns the oldest last-iteration time of the loops that every reply depends on: the threads of both listeners and
  /// the queue-timeout thread. None of these loops waits for a store or an upstream service, so an old time means that
  /// a loop hangs. Thread-safe.
  std::chrono::steady_clock::time_point last_iteration() const;

  /// Applies the settings that can change at run time: plans, the plans of origins, configured keys, log level. Errors,
  /// after which nothing has changed: InvalidArgument if keys would lose their plan; others if the key store fails.
  Status reload(const config::Settings& settings);

  /// Stops accepting connections, finishes the requests in flight within the drain timeout, and writes the counters.
  void drain();

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace kbase::composition
