// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "domain/model/category.hpp"
#include "domain/model/day.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/item.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

using ItemVisitor = model::Visitor<model::ItemView>;
using SummaryVisitor = model::Visitor<model::ItemSummaryView>;
using CategoryVisitor = model::Visitor<model::CategoryView>;

/// A part of an ordered list.
struct Slice {
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
};

/// The counts of /stats that the store alone can give. Views are imported ones.
struct StoreTotals {
  std::uint64_t items = 0;
  std::uint64_t categories = 0;
  std::uint64_t views = 0;
  std::uint64_t recent_additions = 0;  ///< created from today - 6 to today
};

/// One category's share of the imported views.
struct CategoryViews {
  std::string_view id;
  std::string_view name;
  std::uint64_t views = 0;
};

/// A record as the changes feed tells it: its newest state, or that it is gone.
struct Change {
  enum class Kind { ItemPut, ItemRemoved, CategoryPut, CategoryRemoved };
  Kind kind = Kind::ItemPut;
  std::string_view id;
  model::Revision revision = 0;
  const model::ItemView* item = nullptr;          ///< of ItemPut
  const model::CategoryView* category = nullptr;  ///< of CategoryPut
};
using ChangeVisitor = model::Visitor<Change>;

/// A batch of changes, seen by nobody until commit and then by everybody at once. One thread at a time. Destroying it
/// uncommitted, or being killed in it, leaves the store as it was. After any error of put or remove only destruction
/// is allowed.
class ItemWriter {
 public:
  virtual ~ItemWriter() = default;

  /// The items of `ids` as this batch would leave them, in the order asked for; missing ones are skipped.
  virtual model::Status read(Call& call, std::span<const std::string_view> ids, ItemVisitor visitor) = 0;

  /// The category as this batch would leave it. NotFound.
  virtual model::Status read_category(Call& call, std::string_view id, CategoryVisitor visitor) = 0;

  /// Inserts or replaces whole items; each gets a revision of its own, in the order given. The caller leaves out items
  /// that would change nothing, makes categories exist first, and fills every member (`excerpt` too).
  virtual model::Status put(Call& call, std::span<const model::ItemView* const> items) = 0;
  virtual model::Status put_category(Call& call, const model::CategoryView& category) = 0;

  /// Leaves a tombstone of its own revision. False: there was nothing to remove, and nothing changed. Removing a
  /// category that still has items fails with InvalidArgument.
  virtual model::Result<bool> remove(Call& call, std::string_view id) = 0;
  virtual model::Result<bool> remove_category(Call& call, std::string_view id) = 0;

  /// Makes the batch durable and visible; returns the store's revision afterwards. On error nothing was kept.
  virtual model::Result<model::Revision> commit(Call& call) = 0;
};

/// The content: items and categories, and the feed of their changes. It is the truth that every index is made of.
///
/// Thread-safety: any thread, any number at a time. At most one ItemWriter exists over all processes that share the
/// store; readers never wait for it.
/// Errors: Unavailable (down, disk full), NoMemory, Deadline, Cancelled, Corrupt, Internal, and those named below.
/// After an error of a visiting call rows may have been visited already. Orders: ids and names by their UTF-8 bytes;
/// every order ends with the id. A slice past the end is empty. Contract suite: plugins/conformance/item_store_suite.
class ItemStore {
 public:
  struct Capabilities {
    bool persistent = false;    ///< content survives the process
    bool inline_reads = false;  ///< reads never block longer than a page fault: they may run on a reactor thread
    bool waits = false;         ///< `wait` is offered
    bool leases = false;        ///< `try_lease` is offered
  };

  virtual ~ItemStore() = default;

  virtual Capabilities capabilities() const = 0;

  /// Made once when the store is created.
  virtual model::StoreId store_id() const = 0;

  /// The newest committed revision; cheap enough to be asked five times a second.
  virtual model::Result<model::Revision> revision(Call& call) = 0;

  /// Returns once revision() is above `after` or the deadline has passed, whichever is first; either is success. May
  /// hold something scarce meanwhile: one caller at a time is meant. Unsupported: ask revision() now and then instead.
  virtual model::Status wait(Call& call, model::Revision after);

  /// NotFound.
  virtual model::Status get(Call& call, std::string_view id, ItemVisitor visitor) = 0;

  /// The summaries of `ids` in the order asked for; missing ones are skipped. Of one snapshot.
  virtual model::Status summaries(Call& call, std::span<const std::string_view> ids, SummaryVisitor visitor) = 0;

  /// Newest `updated` first, then newest `created`, then id; of one category's own items where one is given.
  virtual model::Status recent(Call& call, std::optional<std::string_view> category, Slice slice,
                               SummaryVisitor visitor) = 0;

  /// NotFound. Like `categories` with the count of the category's own items.
  virtual model::Status category(Call& call, std::string_view id, CategoryVisitor visitor) = 0;

  /// Ordered by name.
  virtual model::Status categories(Call& call, Slice slice, CategoryVisitor visitor) = 0;

  virtual model::Result<StoreTotals> totals(Call& call, model::Day today) = 0;

  /// The imported views of each category, in no promised order.
  virtual model::Status category_views(Call& call, model::Visitor<CategoryViews> visitor) = 0;

  /// Every record that changed after revision `after`, once, as its newest state or a tombstone, in the order of its
  /// revision, from one snapshot; returns the snapshot's revision, up to which the visitor has then seen everything.
  /// From 0: every record that exists, no tombstones. Gone: tombstones after `after` were dropped (they live 30 days).
  /// A visitor that stops ends the call with Cancelled.
  virtual model::Result<model::Revision> changes(Call& call, model::Revision after, ChangeVisitor visitor) = 0;

  /// Starts the one batch. Conflict, with a sentence for the operator: another one is under way and did not end within
  /// five seconds (or the call's deadline). Unsupported: the store is read-only.
  virtual model::Result<std::unique_ptr<ItemWriter>> begin(Call& call) = 0;

  /// Takes or renews the lease of `name` for `owner` until `ttl` from now, by a clock that all who share the store
  /// agree on. True: `owner` holds it; false: another does, and keeps it. A `ttl` of 0 gives back what `owner` holds.
  /// Both are 1 to 256 bytes; an owner is a process, under a name that no other ever has. It is durable as content is
  /// and ends by itself, so whoever acts under it stops before it ends unless it was renewed. An error leaves open
  /// whether it was. Unsupported: nobody can hold one.
  virtual model::Result<bool> try_lease(Call& call, std::string_view name, std::string_view owner,
                                        std::chrono::milliseconds ttl);

  /// Whether the store answers at all.
  virtual model::Status health(Call& call) = 0;
};

inline model::Status ItemStore::wait(Call&, model::Revision) {
  return model::Error{model::ErrorCode::Unsupported, "this store does not wait for changes", {}, {}, {}};
}

inline model::Result<bool> ItemStore::try_lease(Call&, std::string_view, std::string_view, std::chrono::milliseconds) {
  return model::Error{model::ErrorCode::Unsupported, "this store gives no leases", {}, {}, {}};
}

}  // namespace kbase::ports
