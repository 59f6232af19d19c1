// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driven/service_monitor.hpp"
#include "ports/driving/readiness.hpp"

namespace kbase::runtime {

/// Knows whether this server should be given requests: it serves, its storage answers, and its index can. Any thread.
class ServerReadiness final : public ports::Readiness {
 public:
  /// What it asks outlives it.
  struct Parts {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    const ports::ServiceMonitor& monitor;
    const ports::Clock& clock;
  };
  explicit ServerReadiness(const Parts& parts) : parts_(parts) {}

  enum class Phase { Starting, Serving, Draining };
  void set(Phase phase) noexcept { phase_ = phase; }

  /// Asks store and index how far they are; what either does not say within three seconds stays as it was.
  void look(ports::CancelSource cancel = {});

  /// How many changes the store has that the index does not, when they were last looked at.
  model::Revision index_lag() const noexcept { return index_lag_; }

  /// How many items the index had then.
  std::uint64_t index_documents() const noexcept { return index_documents_; }

  std::vector<std::string_view> obstacles() const override;

 private:
  const Parts parts_;
  std::atomic<Phase> phase_{Phase::Starting};
  std::atomic<bool> index_answers_{false};
  std::atomic<model::Revision> index_lag_{0};
  std::atomic<std::uint64_t> index_documents_{0};
};

}  // namespace kbase::runtime
