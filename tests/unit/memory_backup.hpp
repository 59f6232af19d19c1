// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "domain/model/item.hpp"
#include "ports/driven/backup_file.hpp"

namespace kbase::tests {

/// A backup in memory that can be written and read. Records are valid only during their visit.
class MemoryBackup final : public ports::BackupSink, public ports::BackupSource {
 public:
  struct UsageRow {
    std::string key;
    model::Day day;
    std::uint64_t requests = 0;
  };
  struct Viewed {
    std::string item;
    std::vector<ports::DayViews> days;
  };
  using Record =
      std::variant<model::ApiKey, UsageRow, ports::JournalMark, Viewed, model::Category, model::Item, model::Synonyms>;

  // BackupSink.
  Status begin(const ports::BackupHead& head) override {
    summary.head = head;
    return {};
  }
  Status put(const ports::BackupRecord& record) override {
    if (records.size() == fails_at) return Error{ErrorCode::Unavailable, "full"};
    std::visit([this](const auto& one) { store(one); }, record);
    return {};
  }
  Result<ports::BackupSummary> finish(model::Revision revision) override {
    is_finished = true;
    summary.revision = revision;
    summary.counts = {};
    std::uint64_t* const counts[] = {&summary.counts.keys,    &summary.counts.usage,      &summary.counts.journals,
                                     &summary.counts.viewed,  &summary.counts.categories, &summary.counts.items,
                                     &summary.counts.synonyms};
    for (const Record& record : records) ++*counts[record.index()];
    summary.sha256 = {1, 2, 3};
    return summary;
  }

  // BackupSource.
  std::string_view name() const override { return "kept"; }
  std::optional<double> progress() const override { return 0.5; }
  Result<ports::BackupSummary> read(ports::Call&, Visitor<ports::BackupRecord> visitor) override {
    ++readings;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (before_record) before_record(readings, i);
      const Record copy = records[i];
      if (visitor(std::visit([this](const auto& one) { return this->view_of(one); }, copy)) == Visit::Stop)
        return Error{ErrorCode::Cancelled, "stopped"};
    }
    if (readings == bad_reading) return invalid_argument({}, "kept:3: is bad");
    return summary;
  }

  /// A short text for each record.
  std::vector<std::string> describe() const {
    std::vector<std::string> texts;
    for (const Record& record : records)
      texts.push_back(std::visit([](const auto& one) { return text_of(one); }, record));
    return texts;
  }

  std::vector<Record> records;
  ports::BackupSummary summary;
  bool is_finished = false;
  std::size_t fails_at = ~std::size_t{0};                                ///< index of the record whose put() fails
  int readings = 0, bad_reading = 0;                                     ///< the reading that ends with an error
  std::function<void(int reading, std::size_t record)> before_record{};  ///< called before each visit

 private:
  void store(const model::ApiKey& key) { records.emplace_back(key); }
  void store(const ports::KeyUsage& usage) {
    records.emplace_back(UsageRow{std::string(usage.id), usage.day, usage.requests});
  }
  void store(const ports::JournalMark& mark) { records.emplace_back(mark); }
  void store(const ports::ActivityRecord& activity) {
    records.emplace_back(Viewed{std::string(activity.item), {activity.days.begin(), activity.days.end()}});
  }
  void store(const model::CategoryView& category) { records.emplace_back(model::Category(category)); }
  void store(const model::ItemView& item) {
    model::ItemView bare = item;
    bare.excerpt = {};  // a backup omits excerpts
    records.emplace_back(model::Item(bare));
  }
  void store(const model::SynonymsView& synonyms) { records.emplace_back(model::Synonyms(synonyms)); }

  static ports::BackupRecord view_of(const model::ApiKey& key) { return key; }
  static ports::BackupRecord view_of(const UsageRow& row) { return ports::KeyUsage{row.key, row.day, row.requests}; }
  static ports::BackupRecord view_of(const ports::JournalMark& mark) { return mark; }
  static ports::BackupRecord view_of(const Viewed& viewed) { return ports::ActivityRecord{viewed.item, viewed.days}; }
  static ports::BackupRecord view_of(const model::Category& category) { return category.view(); }
  static ports::BackupRecord view_of(const model::Item& item) { return item.view(); }
  ports::BackupRecord view_of(const model::Synonyms& synonyms) { return synonyms.view(words_); }

  static std::string text_of(const model::Synonyms& synonyms) { return "synonyms of " + synonyms.key().word; }
  static std::string text_of(const model::ApiKey& key) { return "key " + key.id; }
  static std::string text_of(const UsageRow& row) {
    return "usage " + row.key + ' ' + model::format_day(row.day) + ' ' + std::to_string(row.requests);
  }
  static std::string text_of(const ports::JournalMark& mark) {
    return "journal " + std::to_string(mark.journal[0]) + ' ' + std::to_string(mark.sequence);
  }
  static std::string text_of(const Viewed& viewed) {
    std::string text = "viewed " + viewed.item;
    for (const ports::DayViews& day : viewed.days)
      text += ' ' + model::format_day(day.day) + ':' + std::to_string(day.views);
    return text;
  }
  static std::string text_of(const model::Category& category) { return "category " + std::string(category.view().id); }
  static std::string text_of(const model::Item& item) { return "item " + std::string(item.view().id); }

  std::vector<std::string_view> words_;  // of the synonyms that are visited
};

}  // namespace kbase::tests
