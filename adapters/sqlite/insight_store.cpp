// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "adapters/records/rows.hpp"
#include "adapters/sqlite/database.hpp"
#include "adapters/sqlite/state_database.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

constexpr char kAddQuery[] =
    "INSERT INTO queries VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (query, day) DO UPDATE SET searches = searches +"
    " excluded.searches, without_result = without_result + excluded.without_result,"
    " with_click = with_click + excluded.with_click";
constexpr char kQueries[] =
    "SELECT " KBASE_QUERY_COLUMNS " FROM queries WHERE day BETWEEN ?1 AND ?2 ORDER BY query, day";
constexpr char kPutFeedback[] =
    "INSERT INTO feedback VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (day, item, reader) WHERE reader <> zeroblob(16)"
    " DO UPDATE SET is_helpful = excluded.is_helpful, comment = excluded.comment";
constexpr char kFeedback[] =
    "SELECT " KBASE_FEEDBACK_COLUMNS " FROM feedback WHERE day BETWEEN ?1 AND ?2 ORDER BY day DESC, item, rowid";
constexpr char kDeleteQueries[] = "DELETE FROM queries WHERE day < ?1";
constexpr char kDeleteFeedback[] = "DELETE FROM feedback WHERE day < ?1";
constexpr char kForgetReaders[] = "UPDATE feedback SET reader = zeroblob(16) WHERE day < ?1 AND reader <> zeroblob(16)";

/// Queries and feedback in state.db.
class SqliteInsightStore final : public ports::InsightStore {
 public:
  explicit SqliteInsightStore(Database& database) : database_(database) {}

  Status add_queries(ports::Call& call, std::span<const model::QueryCount> counts) override {
    auto transaction = KBASE_TRY(database_.write(call));
    for (const model::QueryCount& count : counts)
      KBASE_TRY(transaction->prepare(kAddQuery)
                    .bind(count.query, count.day, count.searches, count.without_result, count.with_click)
                    .run());
    return transaction.commit();
  }
  Status queries(ports::Call& call, model::Day first, model::Day last, Visitor<model::QueryCount> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kQueries);
    return visit_rows(rows.bind(first, last), records::read_query<Statement>, visitor);
  }
  Status put_feedback(ports::Call& call, const model::Feedback& feedback) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->prepare(kPutFeedback)
                  .bind(feedback.item, feedback.day, Bytes(feedback.reader), std::int64_t{feedback.is_helpful},
                        feedback.comment)
                  .run());
    return transaction.commit();
  }
  Status feedback(ports::Call& call, model::Day first, model::Day last, Visitor<model::Feedback> visitor) override {
    const auto reader = KBASE_TRY(database_.read(call));
    Statement rows = reader->prepare(kFeedback);
    return visit_rows(rows.bind(first, last), records::read_feedback<Statement>, visitor);
  }
  Status forget(ports::Call& call, model::Day first, model::Day today) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->prepare(kDeleteQueries).bind(first).run());
    KBASE_TRY(transaction->prepare(kDeleteFeedback).bind(first).run());
    KBASE_TRY(transaction->prepare(kForgetReaders).bind(today).run());
    return transaction.commit();
  }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<ports::InsightStore> make_insight_store(Database& database) {
  return std::make_unique<SqliteInsightStore>(database);
}

}  // namespace kbase::sqlite
