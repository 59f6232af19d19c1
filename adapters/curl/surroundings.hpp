// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/random.hpp"

namespace kbase::curl {

/// What a client works with. All of it outlives the client and its exchanges.
struct Surroundings {
  const ports::Clock& clock;
  ports::Random& random;
  ports::EventLog& log;
  ports::Metrics& metrics;
};

}  // namespace kbase::curl
