// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "adapters/postgres/options.hpp"
#include "adapters/postgres/session.hpp"
#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/crypto.hpp"

/// The tables of a store, all in one schema of the database; its default name is the configuration's `instance`.
///
/// Their version is MAJOR.MINOR. A migration that only adds (tables, columns with defaults, indexes) is a new minor
/// version: it can run while older servers are running, and they continue to work after it. A migration that removes
/// something or changes a meaning is a new major version, which older servers refuse. So a rollout can start new
/// servers next to old ones, in any order.
namespace kbase::postgres::schema {

/// Names derived from the schema name.
struct Names {
  explicit Names(std::string name) : schema(std::move(name)) {}

  std::string schema;
  std::string writer_lock() const { return "kbase writer of " + schema; }  ///< hashed to the number of an advisory lock
  std::string migration_lock() const { return "kbase migration of " + schema; }
  std::string channel() const { return "kbase_" + schema; }  ///< channel of NOTIFY
};

/// Supported major version. Schemas of other major versions are refused.
inline constexpr int kMajor = 1;

/// Applies the settings of every session.
Status configure_session(Session& session, const Names& names);

/// Creates the schema for `instance`, or migrates it to the newest minor version. Returns whether it created it. Locks
/// out imports and other processes that do the same.
/// NotFound: the schema is missing or older, and `if_missing` is Fail. Unsupported: the schema has another major
/// version or belongs to another program, or the database encoding is not UTF-8. Unavailable: the user lacks rights.
/// Conflict: a lock was not free within one second; the limit keeps others from waiting longer behind this request.
/// Roll back and try again.
Result<bool> prepare_schema(Session& session, const Names& names, IfMissing if_missing, std::string_view instance,
                            const ports::Clock& clock, ports::Random& random);

/// A commit of items. A failover can lose a commit and assign its revision again; the proof distinguishes the two.
struct Commit {
  model::Revision revision = 0;
  std::string proof;  ///< empty: the store has no commits
};

/// State of a store, to detect another store or an older state.
struct State {
  model::StoreId store_id{};
  std::string instance;
  Commit newest;
  model::ViewsRevision views_revision = 0;
  std::uint64_t keys_revision = 0;
  model::Instant now;           ///< time of the server's clock
  std::string timeline;         ///< each promotion of a replica starts a new one; empty: unknown
  std::string stored_timeline;  ///< timeline at the last check; empty: never checked
};
Result<State> read_state(Session& session);

Result<Commit> read_commit(Session& session);

/// Whether the store's history contains this commit. True for commits so old that their proof was dropped.
Result<bool> has_commit(Session& session, const Commit& commit);

/// Called by a process that has seen views and keys at these revisions. If the store has lower revisions or is on
/// another timeline, a failover may have lost the newest commits, and their revisions may have been or may be assigned
/// to other changes. Then both revisions are raised far above any that other processes can have seen, and all processes
/// read everything again. The first process that sees a timeline does this.
Status raise_revisions(Session& session, const State& state, model::ViewsRevision views, std::uint64_t keys);

}  // namespace kbase::postgres::schema
