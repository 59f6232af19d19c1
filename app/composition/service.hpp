// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "domain/model/result.hpp"

namespace kbase::composition {

/// The whole server: back ends, use cases, background work and the HTTP edge, wired as the settings say.
class Service {
 public:
  /// Opens everything and accepts connections. The platform outlives the service.
  static model::Result<std::unique_ptr<Service>> start(const config::Settings& settings, Platform& platform);
  ~Service();

  /// "http://ADDRESS:PORT/api/v1".
  std::string url() const;

  /// When the loop that has come round least lately did so, of those without which nobody is answered: the threads of
  /// both listeners, and the one that tells what has waited too long for a pool. None of them waits for a store or a
  /// service outside, so one that stands still hangs. Any thread.
  std::chrono::steady_clock::time_point last_turn() const;

  /// Takes over what may change while running: plans, those of origins, configured keys, log level. InvalidArgument:
  /// keys' plans would be gone; other errors: the store does not say. Nothing was changed then.
  model::Status reload(const config::Settings& settings);

  /// Stops accepting, finishes what is in flight within the drain time-out, writes the counters.
  void drain();

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace kbase::composition
