// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driven/service_monitor.hpp"
#include "ports/driving/readiness.hpp"

namespace kbase::runtime {

/// Decides whether this server should receive requests: it is serving, its storage is up, and its index can answer.
/// Thread-safe.
class ServerReadiness final : public ports::Readiness {
 public:
  /// All members must outlive this object.
  struct Parts {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    const ports::ServiceMonitor& monitor;
    const ports::Clock& clock;
  };
  explicit ServerReadiness(const Parts& parts) : parts_(parts) {}

  enum class Phase { Starting, Serving, Draining };
  void set(Phase phase) noexcept { phase_ = phase; }

  /// Reads the state of the store and the index. A value that is not available within three seconds stays unchanged.
  void look(ports::CancelSource cancel = {});

  /// Returns the number of store revisions that the index lacked at the last look().
  model::Revision index_lag() const noexcept { return index_lag_; }

  /// Returns the number of items in the index at the last look().
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
