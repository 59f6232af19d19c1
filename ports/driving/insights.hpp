// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Notes what readers search for and what they say of items, for the operator. A query is stored only once enough
/// different clients asked it. Any thread.
class Insights {
 public:
  virtual ~Insights() = default;

  /// Returns the query in the form in which it is counted: folded, with one space between words. Empty: it is not
  /// counted.
  virtual std::string normalize(std::string_view query) const = 0;

  /// Notes a search for a normalized query, which is not empty.
  virtual void record_search(const model::ClientId& client, std::string_view normalized, bool has_result) = 0;

  /// Returns the id of searches for the normalized query, for record_click().
  virtual std::string search_id(std::string_view normalized) const = 0;

  /// Notes that the client read a result of its search. An unknown id is ignored.
  virtual void record_click(const model::ClientId& client, std::string_view search_id) = 0;

  /// Stores what a client says of an item, in place of what it said before on the same day. InvalidArgument: `comment`
  /// is longer than model::kMaxCommentBytes. Other errors are those of the store.
  virtual Status give_feedback(Call& call, const model::ClientId& client, std::string_view item, bool is_helpful,
                               std::string_view comment) = 0;
};

/// Counts of a query.
struct QueryTotals {
  std::uint64_t searches = 0;
  std::uint64_t without_result = 0;
  std::uint64_t without_click = 0;  ///< searches after which no result was read
};

struct QueryReport {
  std::string query;
  QueryTotals totals;
  struct OfDay {
    model::Day day{};
    QueryTotals totals;
  };
  std::vector<OfDay> days;  ///< those with searches, the oldest first
};

enum class QueryOrder {
  Searches,
  WithoutResult,  ///< only queries with such searches
  WithoutClick,   ///< only queries with such searches
};

struct FeedbackReport {
  std::string item;
  std::uint64_t helpful = 0, not_helpful = 0;
  struct Comment {
    model::Day day{};
    bool is_helpful = false;
    std::string text;
  };
  std::vector<Comment> comments;  ///< the latest first
};

/// Reports what was noted, for the operator. Any thread. Errors are those of the store.
class InsightReports {
 public:
  virtual ~InsightReports() = default;

  /// The queries of the last `days` days, those with the highest count of `order` first.
  virtual Result<std::vector<QueryReport>> queries(Call& call, unsigned days, QueryOrder order) = 0;

  /// The items with feedback of the last `days` days, those that helped least first.
  virtual Result<std::vector<FeedbackReport>> feedback(Call& call, unsigned days) = 0;
};

}  // namespace kbase::ports
