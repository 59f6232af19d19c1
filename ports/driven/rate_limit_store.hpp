// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "domain/model/plan.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// A question to the ledger: may this subject make `cost` more requests?
struct Take {
  enum class Mode { Charge, Peek };  ///< Peek only looks, as if the cost were 0

  model::Subject subject{};
  std::uint32_t cost = 1;
  Mode mode = Mode::Charge;
  model::Limits limits;  ///< of the subject's plan now; a count never changes because they do
};

/// The answer. `minute` and `day` describe the windows after the take; of a window without a limit they mean nothing.
/// Where `allowed` is false nothing was charged, and a window that denied has fewer remaining than the cost.
struct Taken {
  bool allowed = false;
  model::WindowState minute;
  model::WindowState day;
};

/// The ledger of requests: two windows for each subject, any 60 seconds (a request counts while now - t < 60,000 ms)
/// and the UTC day. A take charges both windows or neither, and never admits one more than a limit, whoever asks at
/// the same time. A clock that steps back keeps the newer window, but for no longer than one window.
///
/// Thread-safety: any thread, any number at a time. Errors: Unavailable, Deadline (nothing is known about whether the
/// take was charged; it is never sent twice).
/// Contract suite: plugins/conformance/rate_limit_store_suite.
class RateLimitStore {
 public:
  struct Capabilities {
    bool inline_calls = false;  ///< take never blocks: it may run on a reactor thread
    bool shared = false;        ///< several processes count together
  };

  virtual ~RateLimitStore() = default;

  virtual Capabilities capabilities() const = 0;

  /// Answers takes[i] in taken[i]; both have the same length. Each take is atomic by itself.
  virtual model::Status take(Call& call, std::span<const Take* const> takes, std::span<Taken* const> taken) = 0;

  virtual model::Status health(Call& call) = 0;
};

}  // namespace kbase::ports
