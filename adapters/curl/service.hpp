// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "adapters/curl/breaker.hpp"
#include "adapters/curl/client_metrics.hpp"
#include "adapters/curl/options.hpp"
#include "adapters/curl/surroundings.hpp"
#include "adapters/curl/url.hpp"
#include "domain/model/result.hpp"

namespace kbase::curl {

class Transfer;

/// A service outside, as all exchanges with it see it: whether it may be asked now, and who is next.
class Service {
 public:
  Service(const Surroundings& surroundings, ClientOptions options, std::vector<Origin> allowed);

  const ClientOptions& options() const noexcept { return options_; }
  std::span<const Origin> allowed() const noexcept { return allowed_; }
  const ports::Clock& clock() const noexcept { return surroundings_.clock; }
  ports::Random& random() const noexcept { return surroundings_.random; }
  const ClientMetrics& metrics() const noexcept { return metrics_; }

  // Any thread.

  /// Counts one more exchange; each that gets a pass leaves once. Unavailable, with when to come again: as many as may
  /// are under way or wait, or the service failed too often.
  model::Result<Breaker::Pass> enter();
  void leave(Breaker::Pass pass, Outcome outcome, Breaker::Time entered);

  /// The service answers. If that was being tried, `pass` is an ordinary one from here on: nobody is to wait for the
  /// end of an answer that may stream for minutes.
  void begin_answer(Breaker::Pass& pass);

  /// Whether the service failed too often, which also holds for those that got their pass before.
  bool is_stopped(Breaker::Pass pass) const;
  model::Error stopped() const;

  // The line of those that wait for one of the places on the wire. The loop's thread alone; none of them is owned.

  /// False: there is no place, and it waits.
  bool take_place(Transfer& transfer);
  /// Gives the place back, to the one that waits longest; null: nobody waits.
  Transfer* give_place();
  /// It waits no longer.
  void step_out(Transfer& transfer);

 private:
  void tell(Breaker::State before) const;

  const Surroundings surroundings_;
  const ClientOptions options_;
  const std::vector<Origin> allowed_;
  const ClientMetrics metrics_;

  mutable std::mutex mutex_;
  Breaker breaker_;
  std::size_t open_ = 0;

  std::size_t places_taken_ = 0;
  std::deque<Transfer*> line_;
};

}  // namespace kbase::curl
