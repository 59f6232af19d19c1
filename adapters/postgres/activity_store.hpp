// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/activity_store.hpp"

namespace kbase::postgres {

class Database;

/// View counts. A row lock on `views_state` serializes add() and set(), so revisions become visible in the order in
/// which they were assigned.
class PostgresActivityStore final : public ports::ActivityStore {
 public:
  explicit PostgresActivityStore(Database& database) : database_(database) {}

  model::Status add(ports::Call& call, const ports::JournalId& journal, std::uint64_t sequence,
                    std::span<const ports::ViewIncrement> increments) override;
  model::Status set(ports::Call& call, std::string_view item, std::span<const ports::DayViews> days) override;
  model::Result<model::ViewsRevision> revision(ports::Call& call) override;
  model::Result<model::ViewsRevision> totals(ports::Call& call, model::ViewsRevision after,
                                             model::Visitor<ports::ItemViews> visitor) override;
  model::Status top(ports::Call& call, model::Day first, model::Day last,
                    model::Visitor<ports::ItemViews> visitor) override;
  model::Status daily(ports::Call& call, model::Day first, model::Day last,
                      model::Visitor<ports::DayViews> visitor) override;
  model::Status days(ports::Call& call, model::Visitor<ports::ViewIncrement> visitor) override;
  model::Status snapshot(ports::Call& call, model::Visitor<ports::JournalMark> journals,
                         model::Visitor<ports::ViewIncrement> counts) override;

 private:
  Database& database_;
};

}  // namespace kbase::postgres
