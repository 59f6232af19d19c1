// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/random.hpp"

namespace kbase::curl {

/// The ports that a client uses. They must outlive the client and its exchanges.
struct Surroundings {
  const ports::Clock& clock;
  ports::Random& random;
  ports::EventLog& log;
  ports::Metrics& metrics;
};

}  // namespace kbase::curl
