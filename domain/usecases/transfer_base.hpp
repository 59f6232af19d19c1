// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/model/item.hpp"
#include "domain/usecases/item_document.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/markup.hpp"
#include "ports/driving/base_transfer.hpp"

namespace kbase::usecases {

/// The stores of a knowledge base, and its instance name. All must outlive the user of this struct.
struct KnowledgeBase {
  ports::ItemStore& items;
  ports::ActivityStore& activity;
  ports::ApiKeyStore& keys;
  const ports::Markup& markup;
  const ports::Clock& clock;
  std::string_view instance;
};

/// Backup and restore (docs/operations/backup.md).
class TransferBase final : public ports::BaseTransfer {
 public:
  /// `open` is called only when the base is needed, so that a rejected backup does not create a base. `instance` is the
  /// base's own name; its text must outlive the object.
  using Opener = std::function<Result<KnowledgeBase>()>;
  TransferBase(std::string_view instance, Opener open) : instance_(instance), open_(std::move(open)) {}

  explicit TransferBase(const KnowledgeBase& base) : TransferBase(base.instance, [base] { return base; }) {}

  Result<ports::BackupSummary> back_up(ports::Call& call, ports::BackupSink& sink,
                                       ports::BackupObserver& observer) override;
  Result<ports::BackupSummary> restore(ports::Call& call, ports::BackupSource& source, std::string_view from_instance,
                                       ports::BackupObserver& observer) override;

 private:
  const std::string_view instance_;
  const Opener open_;
};

/// One run of a restore: reads the backup once to verify it, and a second time to write it into the base.
///
/// Writes keys, usage and views so that a repeated restore detects what is already there: views by a journal id derived
/// from the backup's checksum, keys by comparison, usage by adding only the missing part.
class RestoreBase {
 public:
  /// All must outlive the object.
  RestoreBase(std::string_view instance, const TransferBase::Opener& open, ports::Call& call,
              ports::BackupSource& source, ports::BackupObserver& observer)
      : instance_(instance), open_(open), call_(call), source_(source), observer_(observer) {}

  Result<ports::BackupSummary> run(std::string_view from_instance);

 private:
  struct UsageRow {
    std::string key;
    model::Day day;
    std::uint64_t requests = 0;
  };
  struct ViewRow {
    std::string item;
    model::Day day;
    std::uint64_t views = 0;
  };
  using Usage = std::map<std::pair<std::string, model::Day>, std::uint64_t>;

  Result<ports::BackupSummary> check(std::string_view from_instance);
  Status check_content_is_empty();
  Status check_keys();
  Status check_views();
  Status read_usage();

  Status fill();
  Status restore_record(const ports::BackupRecord& record);
  Status restore_record(const model::ApiKey& key);
  Status restore_record(const ports::KeyUsage& usage);
  Status restore_record(const ports::JournalMark& mark);
  Status restore_record(const ports::ActivityRecord& activity);
  Status restore_record(const model::SynonymsView& synonyms);
  Status restore_synonyms();
  Status restore_record(const model::CategoryView&) { return {}; }  // begin_content() writes them
  Status restore_record(const model::ItemView& item);
  Status flush_usage();
  Status flush_views();
  Status flush_state();
  Status begin_content();
  Status flush_items();
  Status report_progress(ports::BackupObserver::Step step);
  ports::JournalId own_journal() const;

  const std::string_view instance_;
  const TransferBase::Opener& open_;
  ports::Call& call_;
  ports::BackupSource& source_;
  ports::BackupObserver& observer_;

  ports::BackupSummary summary_;       // result of the first pass
  std::optional<KnowledgeBase> base_;  // opened after the first pass
  std::map<std::string, model::ApiKey, std::less<>> keys_;
  std::vector<model::Category> categories_;
  Usage usage_before_;  // usage in the base before this run, from an interrupted restore
  std::uint64_t records_ = 0;

  std::vector<UsageRow> usage_;
  bool stores_usage_ = true;
  std::vector<ViewRow> views_;
  std::uint64_t view_rows_ = 0;  // number of rows so far, used as the sequence of ActivityStore::add
  std::unique_ptr<ports::ItemWriter> writer_;
  std::optional<ItemDocument> document_;
  std::vector<model::Item> items_;
  std::size_t item_bytes_ = 0;
  std::vector<model::Synonyms> synonyms_;
};

}  // namespace kbase::usecases
