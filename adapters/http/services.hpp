// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/http/executor.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driving/access.hpp"
#include "ports/driving/catalog.hpp"
#include "ports/driving/external_services.hpp"
#include "ports/driving/health.hpp"
#include "ports/driving/search.hpp"
#include "ports/driving/statistics.hpp"

namespace kbase::http {

/// Executors for work that may block. There is a separate one for the store, the index, both together, and each
/// upstream service, so that a back end that hangs delays only its own callers.
struct Executors {
  Executor& common;
  Executor& search;
  Executor& both;
  Executor& codehost;
  Executor& llm;
};

/// Dependencies of an API server. They must outlive it.
struct Services {
  ports::Search& search;
  ports::Catalog& catalog;
  ports::Statistics& statistics;
  ports::Health& health;
  ports::Access& access;
  ports::CodeHostUsers& users;
  ports::Completions& completions;
  ports::Clock& clock;
  ports::Random& random;
  ports::EventLog& log;
  const ports::Pseudonyms& pseudonyms;
  ports::Metrics& metrics;
  Executors executors;
};

/// Dependencies of an admin server. They must outlive it.
struct AdminServices {
  const ports::Metrics& metrics;
  const ports::Readiness& readiness;
  ports::Clock& clock;
  ports::Random& random;
  ports::EventLog& log;
};

}  // namespace kbase::http
