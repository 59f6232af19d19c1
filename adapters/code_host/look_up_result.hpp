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

/// Counts contributions by day.
class DayCounts {
 public:
  /// Adds to a day. A day counts 2^32 at most, so that the total of a period does not overflow.
  void add(model::Day day, std::uint64_t count);

  /// Visits the days from `first` to `last`, in order.
  void visit(model::Day first, model::Day last, ports::UserVisitor& visitor) const;

 private:
  std::map<model::Day, std::uint64_t> days_;
};

/// Collects the results of a look-up and then reports them in the order that the port requires. Rows are views of the
/// documents kept here.
class LookUpResult {
 public:
  /// Stores data that rows refer to.
  const Json& store(Json document) { return documents_.emplace_back(std::move(document)); }
  model::TextList store(std::vector<std::string_view> texts) { return texts_.emplace_back(std::move(texts)); }

  /// Returns the strings of the array `topics`; nullopt: it is not an array.
  std::optional<model::TextList> read_topics(const Json& topics);

  ports::UserProfile profile;
  std::vector<ports::Repository> repositories;

  struct Contributions {
    model::Day first{};
    model::Day last{};
    std::string source;
    DayCounts days;
  };
  std::optional<Contributions> contributions;

  /// `weight`: bytes, or a share of a whole that has the same size for each repository.
  void add_language(const std::string& name, double weight);

  /// Sorts by update time, newest first, removes duplicates and keeps at most `max_count` repositories.
  void sort_repositories(std::size_t max_count);

  /// Whether the profile and the repositories have no more text than the port accepts.
  bool fits_limits() const;

  void visit(ports::UserVisitor& visitor) const;

 private:
  void visit_repositories(ports::UserVisitor& visitor) const;
  void visit_contributions(ports::UserVisitor& visitor) const;
  void visit_languages(ports::UserVisitor& visitor) const;

  std::deque<Json> documents_;
  std::deque<std::vector<std::string_view>> texts_;
  std::map<std::string, double> weights_;
};

}  // namespace kbase::code_host
