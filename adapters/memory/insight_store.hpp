// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/insight_store.hpp"

namespace kbase::memory {

/// Queries and feedback in memory. Does not persist.
class MemoryInsightStore final : public ports::InsightStore {
 public:
  Status add_queries(ports::Call& call, std::span<const model::QueryCount> counts) override;
  Status queries(ports::Call& call, model::Day first, model::Day last, Visitor<model::QueryCount> visitor) override;
  Status put_feedback(ports::Call& call, const model::Feedback& feedback) override;
  Status feedback(ports::Call& call, model::Day first, model::Day last, Visitor<model::Feedback> visitor) override;
  Status forget(ports::Call& call, model::Day first, model::Day today) override;

 private:
  struct Opinion {
    std::string item;
    model::Day day{};
    model::ClientId reader{};
    bool is_helpful = false;
    std::string comment;
  };

  std::mutex mutex_;
  std::map<std::tuple<std::string, model::Day>, model::QueryCount> queries_;  // the text of a count is that of its key
  std::vector<Opinion> feedback_;
};

}  // namespace kbase::memory
