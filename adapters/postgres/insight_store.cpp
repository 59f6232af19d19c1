// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/session.hpp"
#include "adapters/records/rows.hpp"
#include "domain/base/result.hpp"

namespace kbase::postgres {
namespace {

// The rows come in one order, so that concurrent calls cannot deadlock.
constexpr char kAddQueries[] =
    "INSERT INTO queries SELECT * FROM unnest($1::bytea[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[])"
    " ON CONFLICT (query, day) DO UPDATE SET searches = queries.searches + excluded.searches,"
    " without_result = queries.without_result + excluded.without_result,"
    " with_click = queries.with_click + excluded.with_click";
constexpr char kQueries[] =
    "SELECT " KBASE_QUERY_COLUMNS " FROM queries WHERE day BETWEEN $1 AND $2 ORDER BY query, day";
constexpr char kPutFeedback[] =
    "INSERT INTO feedback (item, day, reader, is_helpful, comment) VALUES ($1, $2, $3, $4, $5)"
    " ON CONFLICT (day, item, reader) WHERE reader <> '\\x00000000000000000000000000000000'"
    " DO UPDATE SET is_helpful = excluded.is_helpful, comment = excluded.comment";
constexpr char kFeedback[] =
    "SELECT " KBASE_FEEDBACK_COLUMNS " FROM feedback WHERE day BETWEEN $1 AND $2 ORDER BY day DESC, item, number";
constexpr char kDeleteQueries[] = "DELETE FROM queries WHERE day < $1";
constexpr char kDeleteFeedback[] = "DELETE FROM feedback WHERE day < $1";
constexpr char kForgetReaders[] =
    "UPDATE feedback SET reader = '\\x00000000000000000000000000000000'"
    " WHERE day < $1 AND reader <> '\\x00000000000000000000000000000000'";

/// Queries and feedback. Calls without a transaction consist of one statement.
class PostgresInsightStore final : public ports::InsightStore {
 public:
  explicit PostgresInsightStore(Database& database) : database_(database) {}

  Status add_queries(ports::Call& call, std::span<const model::QueryCount> counts) override {
    // A statement cannot change a row twice, so equal queries of a day are added up.
    std::map<std::tuple<std::string_view, model::Day>, model::QueryCount> sums;
    for (const model::QueryCount& count : counts) {
      model::QueryCount& sum = sums[{count.query, count.day}];
      sum.searches += count.searches;
      sum.without_result += count.without_result;
      sum.with_click += count.with_click;
    }
    wire::ArrayBuilder queries(wire::Type::Bytea), days(wire::Type::Date), searches(wire::Type::Bigint),
        without_result(wire::Type::Bigint), with_click(wire::Type::Bigint);
    for (const auto& [key, sum] : sums) {
      queries.add(std::get<0>(key));
      days.add(std::get<1>(key));
      searches.add(static_cast<std::int64_t>(sum.searches));
      without_result.add(static_cast<std::int64_t>(sum.without_result));
      with_click.add(static_cast<std::int64_t>(sum.with_click));
    }
    const auto session = KBASE_TRY(database_.read(call));
    return session->run(kAddQueries, Parameters(&queries, &days, &searches, &without_result, &with_click));
  }
  Status queries(ports::Call& call, model::Day first, model::Day last, Visitor<model::QueryCount> visitor) override {
    const auto snapshot = KBASE_TRY(database_.long_snapshot(call));
    return visit_rows(*snapshot, kQueries, Parameters(first, last), records::read_query<Row>, visitor);
  }
  Status put_feedback(ports::Call& call, const model::Feedback& feedback) override {
    const auto session = KBASE_TRY(database_.read(call));
    return session->run(kPutFeedback, Parameters(feedback.item, feedback.day, wire::Bytes(feedback.reader),
                                                 static_cast<std::int16_t>(feedback.is_helpful), feedback.comment));
  }
  Status feedback(ports::Call& call, model::Day first, model::Day last, Visitor<model::Feedback> visitor) override {
    const auto snapshot = KBASE_TRY(database_.long_snapshot(call));
    return visit_rows(*snapshot, kFeedback, Parameters(first, last), records::read_feedback<Row>, visitor);
  }
  Status forget(ports::Call& call, model::Day first, model::Day today) override {
    auto transaction = KBASE_TRY(database_.write(call));
    KBASE_TRY(transaction->run(kDeleteQueries, Parameters(first)));
    KBASE_TRY(transaction->run(kDeleteFeedback, Parameters(first)));
    KBASE_TRY(transaction->run(kForgetReaders, Parameters(today)));
    return transaction.commit();
  }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<ports::InsightStore> make_insight_store(Database& database) {
  return std::make_unique<PostgresInsightStore>(database);
}

}  // namespace kbase::postgres
