// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "domain/model/synonyms.hpp"
#include "domain/usecases/item_document.hpp"
#include "domain/usecases/packed_views.hpp"
#include "domain/usecases/sources_by_id.hpp"
#include "domain/usecases/stored_synonyms.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::usecases {

/// The ids seen by an import, to report duplicates within a source and to determine what a prune keeps.
class SeenIds {
 public:
  /// Starts the next source.
  void next_source() { ++source_; }

  /// Returns false if this source already contained a record with this id.
  bool insert_item(std::string_view id) { return items_.insert(id, source_); }
  bool insert_category(std::string_view id) { return categories_.insert(id, source_); }

  bool insert_synonyms(const model::SynonymsKey& key) {
    const auto [entry, is_new] = synonyms_.emplace(key, source_);
    return is_new || std::exchange(entry->second, source_) != source_;
  }
  bool has_synonyms(const model::SynonymsKey& key) const { return synonyms_.contains(key); }

  void remove_item_id(std::string_view id) { items_.remove(id); }
  void mention_category(std::string_view id) { categories_.mention(id); }

  std::uint64_t items() const { return items_.size(); }
  bool has_item(std::string_view id) const { return items_.contains(id); }
  bool has_category(std::string_view id) const { return categories_.contains(id); }

 private:
  SourcesById items_;
  SourcesById categories_;  // with those that only items refer to
  std::map<model::SynonymsKey, std::uint32_t> synonyms_;
  std::uint32_t source_ = 0;  // number of the current source, starting at 1
};

/// Collects records into one batch of the stores. Fills in absent members, omits unchanged items, and creates the
/// categories that items refer to. Rejects what another source owns. Nothing is stored before commit.
class ImportBatch {
 public:
  /// Takes a record that is not stored, why, and its original bytes (see ports::ContentRecord::text). An error ends the
  /// batch.
  using Reject = std::function<Status(const ports::SourcePosition&, std::string_view reason, std::string_view text)>;
  /// All must outlive the batch.
  struct Dependencies {
    ports::ItemStore& items;
    ports::ActivityStore& activity;
    const ports::Markup& markup;
    SeenIds& seen;
    Reject reject;
  };
  ImportBatch(const Dependencies& deps, model::Day today)
      : items_(deps.items),
        activity_(deps.activity),
        seen_(deps.seen),
        reject_(deps.reject),
        today_(today),
        document_(deps.markup) {}

  Status begin(ports::Call& call);

  /// The writer of the batch, between begin() and commit().
  ports::ItemWriter& writer() { return *writer_; }

  /// Sets the source that owns the items and synonyms added from now on, unless they name another one. `takes_over`:
  /// also those that belong to another source.
  void set_source(std::string_view source, bool takes_over) {
    source_ = source;
    takes_over_ = takes_over;
  }

  /// Sets what precedes the addresses of items that are paths; empty: nothing.
  void set_base_url(std::string_view url) { base_url_ = url.ends_with('/') ? url.substr(0, url.size() - 1) : url; }

  /// Adds any record except a Reject. Calls `duplicate` if this source already contained the item or category.
  Status add(ports::Call& call, const ports::ContentRecord& record, FunctionRef<void(std::string_view id)> duplicate);

  Status remove_item(ports::Call& call, std::string_view id);
  Status remove_category(ports::Call& call, std::string_view id);
  /// Removes the synonyms of these sources that the import has not seen.
  Status prune_synonyms(ports::Call& call, const std::unordered_set<std::string>& sources);

  /// Passes all pending items to the writer. Afterwards `changes` is exact.
  Status flush(ports::Call& call);

  /// Makes the batch durable.
  Status commit(ports::Call& call);

  /// Stores the batch's activity. Call it only after commit. It may be repeated after a failure.
  Status set_activity(ports::Call& call);

  /// The changes of the flushed part of this batch. `revision` is set by commit.
  const ports::ImportReport& changes() const { return changes_; }

 private:
  struct PendingItem {
    model::Item item;
    bool has_created = false, has_updated = false;
    std::string file;  // position of the record
    std::uint64_t line = 0;
    std::string text;               // the record's line, if it is one
    model::ItemView resolved = {};  // view of `item` with the dates set
    bool exists = false, unchanged = false, is_adopted = false;
    std::string owner = {};  // source that owns the stored item; empty: this one may replace it
  };

  void add_record(const ports::ItemRecord& item, const ports::ContentRecord& record);
  Status add_record(ports::Call& call, const ports::CategoryRecord& record);
  void add_record(const ports::ActivityRecord& record);
  Status add_record(ports::Call& call, model::Synonyms synonyms, const ports::ContentRecord& record);
  std::string defect_of(const model::Synonyms& synonyms) const;
  Status load_synonyms(ports::Call& call);
  Status compare_with_stored(ports::Call& call);
  Status reject_owned();
  void resolve(PendingItem& pending, const model::ItemView* stored) const;
  Status create_mentioned_categories(ports::Call& call);

  ports::ItemStore& items_;
  ports::ActivityStore& activity_;
  SeenIds& seen_;
  const Reject reject_;
  const model::Day today_;
  ItemDocument document_;
  std::string source_, base_url_;
  bool takes_over_ = false;
  std::unique_ptr<ports::ItemWriter> writer_;
  std::vector<PendingItem> pending_;
  std::size_t pending_bytes_ = 0;
  std::unordered_map<std::string_view, std::size_t> pending_by_id_;  // keys point into pending_
  std::unordered_set<std::string> existing_categories_;              // known to exist in this batch
  PackedViews pending_activity_;
  std::optional<SynonymChanges> synonyms_;  // nullopt: not read
  ports::ImportReport changes_;
};

}  // namespace kbase::usecases
