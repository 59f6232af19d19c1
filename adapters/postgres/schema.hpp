// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/postgres/options.hpp"
#include "adapters/postgres/session.hpp"
#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/random.hpp"

/// The tables, all in one schema of the database that is named by the configuration's `instance`.
///
/// Their version is MAJOR.MINOR. A migration that only adds (tables, columns with defaults, indexes) is a new minor: it
/// runs while older servers work on, and these work on after it. One that takes away or changes meaning is a new major,
/// which older servers refuse. So a roll-out is: new servers beside old ones, in any order.
namespace kbase::postgres::schema {

/// What a session has to know of the schema.
struct Names {
  explicit Names(std::string name) : schema(std::move(name)) {}

  std::string schema;
  std::string writer_lock() const { return "kbase writer of " + schema; }  ///< hashed to the number of an advisory lock
  std::string migration_lock() const { return "kbase migration of " + schema; }
  std::string channel() const { return "kbase_" + schema; }  ///< of NOTIFY
};

/// The settings that every session runs with.
model::Status prepare(Session& session, const Names& names);

/// Brings the schema to the newest minor version, makes it where there is none, for `instance`, and tells whether it
/// did. Neither another process does the same meanwhile nor an import runs.
/// NotFound: there would be something to make, and it may not be. Unsupported: it is of another major version, is not
/// ours, or the database is not in UTF-8. Unavailable: the user lacks rights. Conflict: a lock was not free for a
/// second, so that nobody stands behind this one for longer; roll back and try again.
model::Result<bool> settle(Session& session, const Names& names, IfMissing if_missing, std::string_view instance,
                           const ports::Clock& clock, ports::Random& random);

/// A commit of items. A failover may lose one and its number be given again: the proof tells the two apart.
struct Commit {
  model::Revision revision = 0;
  std::string proof;  ///< empty: of a store without any
};

/// What tells one store from another, and an old state from a new one.
struct State {
  model::StoreId store_id{};
  std::string instance;
  Commit newest;
  model::ViewsRevision views_revision = 0;
  std::uint64_t keys_revision = 0;
  model::Instant now;          ///< by the server's clock
  std::string timeline;        ///< each promotion of a replica begins another one; empty: not known
  std::string noted_timeline;  ///< the one that the store was on when that was looked at last; empty: it never was
};
model::Result<State> read_state(Session& session);

model::Result<Commit> read_commit(Session& session);

/// Whether the store's history has this commit. One that is so old that its proof was dropped is taken for one.
model::Result<bool> has_commit(Session& session, const Commit& commit);

/// For a process that has seen counted views and keys at these revisions. Where the store has less, or is on another
/// timeline, the newest commits may have been lost in a failover, and their revisions be given again to other changes,
/// or were: both are raised, far above what other processes may have seen, and everybody reads all of them anew. The
/// first to see a timeline does it.
model::Status catch_up(Session& session, const State& state, model::ViewsRevision views, std::uint64_t keys);

}  // namespace kbase::postgres::schema
