// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/query.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driving/search.hpp"

namespace kbase::usecases {

/// What somebody may be after who has typed the beginning of a query: see Search::suggest. One use.
class SuggestQueries {
 public:
  /// The index outlives it.
  explicit SuggestQueries(ports::SearchIndex& index) : index_(index), completes_(index.capabilities().completions) {}

  model::Status suggest(ports::Call& call, std::string_view q, std::size_t limit,
                        model::Visitor<ports::Suggestion> visitor);

 private:
  using Kind = model::QueryNode::Kind;
  struct Title {
    std::string text, item;
  };

  void take_last_word(std::string_view q);
  model::Status complete(ports::Call& call);
  model::Status complete_behind(ports::Call& call, std::size_t kept);
  model::Status keep_completions_that_match(ports::Call& call);
  model::Status find_titles(ports::Call& call, std::size_t limit);
  std::vector<model::QueryNode> last_words() const;
  model::QueryNode typed() const;
  bool is_new(const Title& title) const;

  ports::SearchIndex& index_;
  bool completes_;
  std::string_view before_;         // of `q`: all that stands before the last word
  std::string_view last_;           // word, as far as it is typed; empty: nothing is being typed
  model::QueryNode query_;          // without the last word
  Kind parent_ = Kind::AllOf;       // of the last word, or AnyOf or Not
  std::vector<std::string> words_;  // that go on with it, the likeliest first
  std::vector<Title> titles_;
};

}  // namespace kbase::usecases
