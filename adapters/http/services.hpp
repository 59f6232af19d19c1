// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driving/access.hpp"
#include "ports/driving/accounts.hpp"
#include "ports/driving/catalog.hpp"
#include "ports/driving/content_writing.hpp"
#include "ports/driving/external_services.hpp"
#include "ports/driving/insights.hpp"
#include "ports/driving/search.hpp"
#include "ports/driving/statistics.hpp"

namespace kbase::pages {
class Pages;
}

namespace kbase::http {

/// Dependencies of an admin server. They must outlive it.
struct AdminServices {
  const ports::Metrics& metrics;
  const ports::Readiness& readiness;
  ports::Clock& clock;
  ports::Random& random;
  ports::EventLog& log;
  std::function<std::string()> insights_page = {};  ///< returns HTML without blocking; empty: there is no such page
};

/// Bounded thread pool for work that may block. Thread-safe.
class Executor {
 public:
  enum class Timing {
    OnTime,
    TooLate,  ///< waited too long and must not be done; report the failure to the client at once
  };
  using Work = std::function<void(Timing)>;

  virtual ~Executor() = default;

  /// Queues `work`, which is called with Timing::OnTime on another thread, or with Timing::TooLate on any thread.
  /// Returns false and destroys `work` without a call if the queue is full. Accepted work is called once, or destroyed
  /// when the program ends.
  virtual bool try_submit(Work work) = 0;

  /// Whether a thread is free, so that work would not wait.
  virtual bool has_free_thread() const = 0;

  /// Queues `work`, which must not be refused, even if the queue is full; it is called with Timing::OnTime. Callers
  /// call has_free_thread() first and continue only if it returns true, so that the queue stays bounded.
  virtual void submit(Work work) = 0;
};

/// Executors for work that may block. There is a separate one for the store, the index, both together, and each
/// upstream service, so that a back end that hangs delays only its own callers.
struct Executors {
  Executor& common;
  Executor& search;
  Executor& both;
  Executor& codehost;
  Executor& llm;
  Executor& writing;
};

/// Dependencies of an API server. They must outlive it.
struct Services {
  ports::Search& search;
  ports::Catalog& catalog;
  ports::Statistics& statistics;
  ports::Health& health;
  ports::Access& access;
  ports::ContentWriting& writing;
  ports::CodeHostUsers& users;
  ports::Completions& completions;
  ports::Clock& clock;
  ports::Random& random;
  ports::EventLog& log;
  const ports::Pseudonyms& pseudonyms;
  const ports::Signatures& signatures;
  ports::Metrics& metrics;
  Executors executors;
  pages::Pages* pages = nullptr;        ///< null: there is no site
  ports::Accounts* accounts = nullptr;  ///< null: there are no accounts
  ports::Insights* insights = nullptr;  ///< null: nothing is noted
};

}  // namespace kbase::http
