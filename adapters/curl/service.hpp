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

/// State of an upstream service that all its exchanges share: the breaker, and the queue of exchanges. enter() to
/// stopped() are thread-safe.
class Service {
 public:
  Service(const Surroundings& surroundings, ClientOptions options, std::vector<Origin> allowed);

  const ClientOptions& options() const noexcept { return options_; }
  std::span<const Origin> allowed() const noexcept { return allowed_; }
  const ports::Clock& clock() const noexcept { return surroundings_.clock; }
  ports::Random& random() const noexcept { return surroundings_.random; }
  const ClientMetrics& metrics() const noexcept { return metrics_; }

  // Thread-safe.

  /// Admits one more exchange. The caller must call leave() once for each pass. Unavailable, with retry_after: too many
  /// exchanges are in progress or queued, or the breaker is open.
  model::Result<Breaker::Pass> enter();
  void leave(Breaker::Pass pass, Outcome outcome, Breaker::Time entered);

  /// The response begins. If `pass` is a trial, the trial succeeds and `pass` becomes an ordinary one, because a
  /// streamed response may take minutes.
  void begin_answer(Breaker::Pass& pass);

  /// Whether the breaker is not closed, although the exchange got an ordinary pass before.
  bool is_stopped(Breaker::Pass pass) const;
  model::Error stopped() const;

  // The queue of exchanges that wait for a slot. Used only on the loop's thread. Does not own the transfers.

  /// Returns false if no slot is free; then the transfer is queued.
  bool take_place(Transfer& transfer);
  /// Frees a slot. If a transfer is queued, gives the slot to the first one and returns it; null: the queue is empty.
  Transfer* give_place();
  /// Removes the transfer from the queue.
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
