// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/query.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driving/search.hpp"

namespace kbase::usecases {

/// Suggests completions of a partially typed query, see Search::suggest. Serves one request.
class SuggestQueries {
 public:
  /// The index must outlive the object.
  explicit SuggestQueries(ports::SearchIndex& index) : index_(index), completes_(index.capabilities().completions) {}

  Status suggest(ports::Call& call, std::string_view q, std::size_t limit, Visitor<ports::Suggestion> visitor);

 private:
  using Kind = model::QueryNode::Kind;
  struct Title {
    std::string text, item;
    std::uint64_t views;
  };

  void extract_last_word(std::string_view q);
  Status complete(ports::Call& call);
  Status complete_suffix(ports::Call& call, std::size_t prefix_bytes);
  Status filter_completions(ports::Call& call, model::QueryNode::Kind kind);
  Status find_titles(ports::Call& call, std::size_t limit);
  std::vector<model::QueryNode> last_words() const;
  model::QueryNode typed_query() const;
  bool is_new(const Title& title) const;

  ports::SearchIndex& index_;
  bool completes_;
  std::string_view before_;         // the part of `q` before the last word
  std::string_view last_;           // the last word as typed; empty: no word is being typed
  model::QueryNode query_;          // the query without the last word
  Kind parent_ = Kind::AllOf;       // parent of the last word: AllOf, AnyOf or Not
  std::vector<std::string> words_;  // completions of the last word, the most likely first
  std::vector<Title> titles_;
};

}  // namespace kbase::usecases
