// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/query.hpp"
#include "domain/model/synonyms.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driving/search.hpp"

namespace kbase::usecases {

/// A query as it is searched. Reads it as people mean it, with what the index knows of its words. What is relaxed
/// depends on the query and on the content of the index alone, not on filters or the order. One request at a time.
class RelaxedQuery {
 public:
  /// `index` and `synonyms` must outlive the object. Without `is_relaxable`, the match rule is given: nothing is
  /// relaxed.
  RelaxedQuery(ports::SearchIndex& index, const model::SynonymTable& synonyms, model::QueryNode root, bool is_relaxable)
      : index_(index), synonyms_(synonyms), root_(std::move(root)), is_relaxable_(is_relaxable) {}

  /// Marks function words, keeps exclusions that the index has as options of a command line, leaves out the most
  /// frequent words of a query that is too long, and adds the synonyms of the others. Errors: those of
  /// SearchIndex::search().
  Status prepare(ports::Call& call);

  /// Called if nothing matches the query; `is_filtered`: after a filter. If nothing of the whole base matches it,
  /// relaxes it until something does, first its phrases, then its exclusions. Returns whether it was relaxed. Errors:
  /// those of SearchIndex::search().
  Result<bool> relax(ports::Call& call, bool is_filtered);

  const model::QueryNode& root() const { return root_; }
  const ports::Relaxation& relaxed() const { return relaxed_; }
  const std::vector<model::AddedSynonym>& added_synonyms() const { return added_synonyms_; }

 private:
  void mark_function_words();
  void add_synonyms();
  Status keep_options(ports::Call& call);
  Status shorten(ports::Call& call, model::QueryNode& root, ports::Relaxation& how);
  Result<std::uint64_t> count(ports::Call& call, const model::QueryNode& query);
  Result<std::uint64_t> count_operand(ports::Call& call, const model::QueryNode& operand);

  ports::SearchIndex& index_;
  const model::SynonymTable& synonyms_;
  model::QueryNode root_;
  const bool is_relaxable_;
  ports::Relaxation relaxed_;
  std::vector<model::AddedSynonym> added_synonyms_;
};

}  // namespace kbase::usecases
