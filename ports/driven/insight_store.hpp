// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/insight.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Stores what readers searched for, and what they said of items. Contains no client, except the hashes of readers
/// until their day is over. The domain decides which queries are stored.
///
/// Thread-safety: any thread, concurrent calls allowed; several processes may share the store. Each call is atomic, and
/// durable when it returns. Errors: see ItemStore.
/// Contract suite: plugins/conformance/insight_store_suite.
class InsightStore {
 public:
  virtual ~InsightStore() = default;

  /// Adds counts to those that are stored.
  virtual Status add_queries(Call& call, std::span<const model::QueryCount> counts) = 0;

  /// Visits the counts from day `first` to `last`, both included, by query, then day.
  virtual Status queries(Call& call, model::Day first, model::Day last, Visitor<model::QueryCount> visitor) = 0;

  /// Stores feedback, in place of that of the same reader, item and day.
  virtual Status put_feedback(Call& call, const model::Feedback& feedback) = 0;

  /// Visits the feedback from day `first` to `last`, both included, the latest day first, then by item.
  virtual Status feedback(Call& call, model::Day first, model::Day last, Visitor<model::Feedback> visitor) = 0;

  /// Deletes what is of days before `first`, and forgets the readers of days before `today`.
  virtual Status forget(Call& call, model::Day first, model::Day today) = 0;
};

}  // namespace kbase::ports
