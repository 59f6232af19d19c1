// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "domain/base/result.hpp"
#include "domain/model/query.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driving/search.hpp"

namespace kbase::usecases {

/// A query as it is searched. Reads it as people mean it, with what the index knows of its words. What is relaxed
/// depends on the query and on the content of the index alone, not on filters or the order. One request at a time.
class RelaxedQuery {
 public:
  /// `index` must outlive the object. Without `is_relaxable`, the match rule is given: nothing is relaxed.
  RelaxedQuery(ports::SearchIndex& index, model::QueryNode root, bool is_relaxable)
      : index_(index), root_(std::move(root)), is_relaxable_(is_relaxable) {}

  /// Marks function words, keeps exclusions that the index has as options of a command line, and leaves out the most
  /// frequent words of a query that is too long. Errors: those of SearchIndex::search().
  Status prepare(ports::Call& call);

  /// Called if nothing matches the query; `is_filtered`: after a filter. If nothing of the whole base matches it,
  /// relaxes it until something does, first its phrases, then its exclusions. Returns whether it was relaxed. Errors:
  /// those of SearchIndex::search().
  Result<bool> relax(ports::Call& call, bool is_filtered);

  const model::QueryNode& root() const { return root_; }
  const ports::Relaxation& relaxed() const { return relaxed_; }

 private:
  void mark_function_words();
  Status keep_options(ports::Call& call);
  Status shorten(ports::Call& call);
  Result<std::uint64_t> count(ports::Call& call, const model::QueryNode& query);
  Result<std::uint64_t> count_operand(ports::Call& call, const model::QueryNode& operand);

  ports::SearchIndex& index_;
  model::QueryNode root_;
  const bool is_relaxable_;
  ports::Relaxation relaxed_;
};

}  // namespace kbase::usecases
