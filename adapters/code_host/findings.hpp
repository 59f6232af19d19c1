// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/code_host/json.hpp"
#include "ports/driven/code_host.hpp"

namespace kbase::code_host {

/// Contributions of days, counted as they come.
class DayCounts {
 public:
  /// A day has 2^32 at most, so that a period's total can be told.
  void add(model::Day day, std::uint64_t count);

  /// Of the days from `first` to `last`; earlier and later ones are left out.
  void tell(model::Day first, model::Day last, ports::UserVisitor& visitor) const;

 private:
  std::map<model::Day, std::uint64_t> days_;
};

/// What a look-up found out, until it is told in the port's order. Rows are loans of the documents that are kept here.
class Findings {
 public:
  /// Keeps what rows are loans of.
  const Json& keep(Json document) { return documents_.emplace_back(std::move(document)); }
  model::TextList keep(std::vector<std::string_view> texts) { return texts_.emplace_back(std::move(texts)); }

  /// `topics`: an array of texts, or null.
  std::optional<model::TextList> topics_of(const Json& topics);

  ports::UserProfile profile;
  std::vector<ports::Repository> repositories;

  struct Counted {
    model::Day first{};
    model::Day last{};
    std::string source;
    DayCounts days;
  };
  std::optional<Counted> contributions;

  /// `weight`: bytes, or a part of a whole that is the same for all.
  void add_language(const std::string& name, double weight);

  /// The most recently updated first, each once, so many at most.
  void sort_repositories(std::size_t most);

  /// Whether repositories have no more text than the port takes.
  bool fit() const;

  void tell(ports::UserVisitor& visitor) const;

 private:
  void tell_repositories(ports::UserVisitor& visitor) const;
  void tell_contributions(ports::UserVisitor& visitor) const;
  void tell_languages(ports::UserVisitor& visitor) const;

  std::deque<Json> documents_;
  std::deque<std::vector<std::string_view>> texts_;
  std::map<std::string, double> weights_;
};

}  // namespace kbase::code_host
