// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/code_host/calls.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/code_host.hpp"

/// Readers for the JSON of services. A member that is absent, null, empty text or of another type counts as not given.
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

using Json = nlohmann::json;

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

/// Returns null if the body is not JSON, or is nested deeper or has more values than any valid response.
Json parse_document(const Response& response);

/// BadUpstream: the body is no JSON object.
Result<Json> parse_object(const Response& response);

/// Returns the array that is the body, or that is its member `list`. BadUpstream: there is no such array, or an element
/// is not an object.
Result<Json> parse_objects(const Response& response, const char* list = nullptr);

/// Returns null if there is no such member, so that calls can be nested.
const Json& find_member(const Json& object, const char* name);

/// The text is a view of `object`.
std::optional<std::string_view> read_text(const Json& object, const char* name);
/// Returns nullopt above 2^53 - 1, the largest integer that every JSON reader represents exactly.
std::optional<std::uint64_t> read_number(const Json& object, const char* name);
std::optional<bool> read_flag(const Json& object, const char* name);
std::optional<model::Instant> read_instant(const Json& object, const char* name);

/// Parses an instant of RFC 3339 with any fraction of a second and any offset. Keeps whole seconds.
std::optional<model::Instant> parse_rfc3339(std::string_view text);

}  // namespace kbase::code_host
