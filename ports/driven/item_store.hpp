// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "domain/model/item.hpp"
#include "domain/model/synonyms.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

using ItemVisitor = Visitor<model::ItemView>;
using SummaryVisitor = Visitor<model::ItemSummaryView>;
using CategoryVisitor = Visitor<model::CategoryView>;
using SynonymsVisitor = Visitor<model::SynonymsView>;

/// A range of an ordered list.
struct Slice {
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
};

/// Totals for /stats that only the store knows. Views are the imported ones.
struct StoreTotals {
  std::uint64_t items = 0;
  std::uint64_t categories = 0;
  std::uint64_t views = 0;
  std::uint64_t recent_additions = 0;  ///< items created from today - 6 to today
};

/// Imported views of the items in one category.
struct CategoryViews {
  std::string_view id;
  std::string_view name;
  std::uint64_t views = 0;
};

/// An entry of the changes feed: the current state of a record, or its removal.
struct Change {
  enum class Kind { ItemPut, ItemRemoved, CategoryPut, CategoryRemoved };
  Kind kind = Kind::ItemPut;
  std::string_view id;
  model::Revision revision = 0;
  const model::ItemView* item = nullptr;          ///< set for ItemPut
  const model::CategoryView* category = nullptr;  ///< set for CategoryPut
};
using ChangeVisitor = Visitor<Change>;

/// A batch of changes. It becomes visible at commit, atomically. One thread at a time. Destruction without commit, or
/// the death of the process, leaves the store unchanged. After an error of put or remove the only allowed operation is
/// destruction.
class ItemWriter {
 public:
  virtual ~ItemWriter() = default;

  /// Visits the items of `ids` as this batch leaves them, in the order of `ids`. Missing items are skipped.
  virtual Status read(Call& call, std::span<const std::string_view> ids, ItemVisitor visitor) = 0;

  /// Visits the category as this batch leaves it. NotFound: there is no such category.
  virtual Status read_category(Call& call, std::string_view id, CategoryVisitor visitor) = 0;

  /// Inserts or replaces whole items. Each item gets its own revision, in the given order. The caller omits unchanged
  /// items, creates categories first, and sets all members, `excerpt` included.
  virtual Status put(Call& call, std::span<const model::ItemView* const> items) = 0;
  virtual Status put_category(Call& call, const model::CategoryView& category) = 0;

  /// Deletes a record and leaves a tombstone with its own revision. False: there is no such record; nothing changed.
  /// InvalidArgument: the category still has items.
  virtual Result<bool> remove(Call& call, std::string_view id) = 0;
  virtual Result<bool> remove_category(Call& call, std::string_view id) = 0;

  /// Replaces the synonyms of the base, with a revision of their own; they are no records of the changes feed. At most
  /// kMaxSynonymsOfBase. Unsupported: the store keeps none.
  virtual Status set_synonyms(Call& call, std::span<const model::SynonymsView* const> synonyms);

  /// Makes the batch durable and visible. Returns the store's new revision. On error nothing is stored.
  virtual Result<model::Revision> commit(Call& call) = 0;
};

/// Stores items and categories, and provides the feed of their changes. Every index is built from this store.
///
/// Thread-safety: any thread, concurrent calls allowed. At most one ItemWriter exists among all processes that share
/// the store. Readers never wait for it.
/// Errors: Unavailable (down, disk full), NoMemory, Deadline, Cancelled, Corrupt, Internal, and those documented at
/// each method. After an error of a visiting call some rows may have been visited. Order: ids and names compare by
/// their UTF-8 bytes; every order uses the id as the last criterion. A slice past the end is empty. Contract suite:
/// plugins/conformance/item_store_suite.
class ItemStore {
 public:
  struct Capabilities {
    bool persistent = false;    ///< content survives a restart
    bool inline_reads = false;  ///< reads never block longer than a page fault, so that a reactor thread may make them
    bool waits = false;         ///< `wait` is supported
    bool leases = false;        ///< `try_lease` is supported
    bool describes = false;     ///< all members of an item are kept; otherwise those of without_description()
    bool synonyms = false;      ///< `synonyms` and ItemWriter::set_synonyms are supported
  };

  virtual ~ItemStore() = default;

  virtual Capabilities capabilities() const = 0;

  /// Generated once, when the store is created.
  virtual model::StoreId store_id() const = 0;

  /// Returns the newest committed revision. Cheap enough to poll five times per second.
  virtual Result<model::Revision> revision(Call& call) = 0;

  /// Blocks until revision() is above `after` or the deadline passes; both are success. May hold a scarce resource
  /// (such as a connection) meanwhile, so use one caller at a time. Unsupported: poll revision() instead.
  virtual Status wait(Call& call, model::Revision after);

  /// NotFound: there is no such item.
  virtual Status get(Call& call, std::string_view id, ItemVisitor visitor) = 0;

  /// Visits the summaries of `ids` from one snapshot, in the order of `ids`. Missing items are skipped.
  virtual Status summaries(Call& call, std::span<const std::string_view> ids, SummaryVisitor visitor) = 0;

  /// Visits items by newest `updated`, then newest `created`, then id. If `category` is set: only that category's own
  /// items.
  virtual Status recent(Call& call, std::optional<std::string_view> category, Slice slice, SummaryVisitor visitor) = 0;

  /// Visits one category, with the number of its own items. NotFound: there is no such category.
  virtual Status category(Call& call, std::string_view id, CategoryVisitor visitor) = 0;

  /// Visits categories by name, with the number of their own items.
  virtual Status categories(Call& call, Slice slice, CategoryVisitor visitor) = 0;

  virtual Result<StoreTotals> totals(Call& call, model::Day today) = 0;

  /// Visits the imported views of each category, in unspecified order.
  virtual Status category_views(Call& call, Visitor<CategoryViews> visitor) = 0;

  /// Visits each record that changed after revision `after` once, as its current state or a tombstone, by revision,
  /// from one snapshot. Returns the snapshot's revision. From 0: all existing records, no tombstones. Gone: tombstones
  /// after `after` were deleted (they live 30 days). A visitor that stops ends the call with Cancelled.
  virtual Result<model::Revision> changes(Call& call, model::Revision after, ChangeVisitor visitor) = 0;

  /// Visits the synonyms of the base, in the order in which they were set. Unsupported: the store keeps none.
  virtual Status synonyms(Call& call, SynonymsVisitor visitor);

  /// Starts the only batch. Conflict, with a sentence for the operator: another batch did not end within five seconds
  /// (or before the call's deadline). Unsupported: the store is read-only.
  virtual Result<std::unique_ptr<ItemWriter>> begin(Call& call) = 0;

  /// Acquires or renews the lease `name` for `owner` until `ttl` from now, by a clock that all processes sharing the
  /// store agree on. True: `owner` holds the lease. False: another owner holds it and keeps it. A `ttl` of 0 releases
  /// the lease of `owner`. Both texts have 1 to 256 bytes; `owner` identifies a process and is never reused. The lease
  /// is as durable as content and expires by itself, so a holder must stop before it expires unless it was renewed.
  /// After an error it is unknown whether the lease was acquired. Unsupported: the store has no leases.
  virtual Result<bool> try_lease(Call& call, std::string_view name, std::string_view owner,
                                 std::chrono::milliseconds ttl);

  /// Whether the store responds.
  virtual Status health(Call& call) = 0;
};

inline Status ItemStore::wait(Call&, model::Revision) {
  return Error{ErrorCode::Unsupported, "this store does not support waiting for changes"};
}

inline Status ItemWriter::set_synonyms(Call&, std::span<const model::SynonymsView* const>) {
  return Error{ErrorCode::Unsupported, "this store keeps no synonyms"};
}

inline Status ItemStore::synonyms(Call&, SynonymsVisitor) {
  return Error{ErrorCode::Unsupported, "this store keeps no synonyms"};
}

inline Result<bool> ItemStore::try_lease(Call&, std::string_view, std::string_view, std::chrono::milliseconds) {
  return Error{ErrorCode::Unsupported, "this store does not support leases"};
}

}  // namespace kbase::ports
