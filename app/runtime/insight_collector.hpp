// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "domain/base/result.hpp"
#include "domain/usecases/query_tally.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/insight_store.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driving/insights.hpp"

namespace kbase::runtime {

/// Collects what readers search for in memory, and stores what enough different clients asked. Thread-safe.
class InsightCollector final : public ports::Insights {
 public:
  struct Counters {
    ports::Counter* searches = nullptr;
    ports::Counter* searches_without_result = nullptr;
    ports::Counter* clicks = nullptr;
    ports::Counter* helpful = nullptr;
    ports::Counter* not_helpful = nullptr;
  };
  struct Dependencies {
    ports::InsightStore& store;
    const ports::Digest& digest;
    const ports::Signatures& signatures;  ///< equal in all servers that share the store
    const ports::Clock& clock;
    /// Folds the case of a text.
    std::function<std::string(std::string_view)> fold;
  };
  /// `dependencies` must outlive this object. `seed`: see QueryTally.
  InsightCollector(Dependencies dependencies, const usecases::QueryTally::Limits& limits, std::uint64_t seed,
                   Counters counters);

  std::string normalize(std::string_view query) const override;
  void record_search(const model::ClientId& client, std::string_view normalized, bool has_result) override;
  std::string search_id(std::string_view normalized) const override;
  void record_click(const model::ClientId& client, std::string_view search_id) override;
  Status give_feedback(ports::Call& call, const model::ClientId& client, std::string_view item, bool is_helpful,
                       std::string_view comment) override;

  /// Reads which queries enough clients have asked before.
  Status load(ports::Call& call, std::chrono::days keep);

  /// Stores the new counts. `at_end`: also of the searches that have not ended. Without success they are kept.
  Status store(ports::Call& call, bool at_end = false);

  /// Deletes what is older than `keep`.
  Status clean_up(ports::Call& call, std::chrono::days keep);

 private:
  model::ClientId reader_of(const model::ClientId& client, std::string_view item, model::Day day) const;

  const Dependencies deps_;
  const Counters counters_;
  std::mutex mutex_;
  usecases::QueryTally tally_;
};

}  // namespace kbase::runtime
