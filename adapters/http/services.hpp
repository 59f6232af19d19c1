// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/http/executor.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/pseudonyms.hpp"
#include "ports/driven/random.hpp"
#include "ports/driving/access.hpp"
#include "ports/driving/catalog.hpp"
#include "ports/driving/code_host_users.hpp"
#include "ports/driving/completions.hpp"
#include "ports/driving/health.hpp"
#include "ports/driving/readiness.hpp"
#include "ports/driving/search.hpp"
#include "ports/driving/statistics.hpp"

namespace kbase::http {

/// Where work that may block is done: apart for what asks the store, the index, both, and each service outside, so that
/// a back end that hangs holds up nobody but its own callers.
struct Executors {
  Executor& common;
  Executor& search;
  Executor& both;
  Executor& codehost;
  Executor& llm;
};

/// What a server asks and tells. All of it outlives the server.
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

/// What an admin listener asks and tells. All of it outlives the server.
struct AdminServices {
  const ports::Metrics& metrics;
  const ports::Readiness& readiness;
  ports::Clock& clock;
  ports::Random& random;
  ports::EventLog& log;
};

}  // namespace kbase::http
