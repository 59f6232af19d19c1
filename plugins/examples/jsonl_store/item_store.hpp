// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "content.hpp"
#include "file.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"

namespace jsonl {

/// Item store of a small knowledge base in one JSON Lines file. All content is in memory, so readers never wait. A
/// commit replaces the file and returns when the new one is on the disk. Other processes that use the file see the
/// commit when they next call revision().
///
/// Ownership: the arguments of open() must outlive the store, and the store must outlive its writer.
class JsonlItemStore final : public ports::ItemStore {
 public:
  /// Creates the folder and the file if they are missing. Conflict: another process creates it. Corrupt: the file is
  /// not of this kind.
  static Result<std::shared_ptr<JsonlItemStore>> open(const std::filesystem::path& path, const ports::Clock& clock,
                                                      ports::Random& random, ports::EventLog& events);

  Capabilities capabilities() const override;
  model::StoreId store_id() const override;
  Result<model::Revision> revision(ports::Call& call) override;
  Status get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) override;
  Status summaries(ports::Call& call, std::span<const std::string_view> ids, ports::SummaryVisitor visitor) override;
  Status recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                ports::SummaryVisitor visitor) override;
  Status category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  Status categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) override;
  Result<ports::StoreTotals> totals(ports::Call& call, model::Day today) override;
  Status category_views(ports::Call& call, Visitor<ports::CategoryViews> visitor) override;
  Result<model::Revision> changes(ports::Call& call, model::Revision after, ports::ChangeVisitor visitor) override;
  Result<std::unique_ptr<ports::ItemWriter>> begin(ports::Call& call) override;
  Status health(ports::Call& call) override;

 private:
  friend class JsonlItemWriter;

  JsonlItemStore(std::filesystem::path path, const FileVersion& version, const model::StoreId& store_id,
                 Records records, const ports::Clock& clock)
      : path_(std::move(path)), store_id_(store_id), clock_(clock), version_(version) {
    publish(std::move(records));
  }

  std::shared_ptr<const Content> content() const;
  void publish(Records records);
  /// Reads the file if another process replaced it.
  Status refresh();
  /// Replaces the file. Requires its lock.
  Status write(const Records& records);

  const std::filesystem::path path_;
  const model::StoreId store_id_;
  const ports::Clock& clock_;

  std::mutex version_mutex_;          // held while the file is read or replaced
  FileVersion version_;               // of the content
  mutable std::mutex content_mutex_;  // guards the pointer; held only while copying it
  std::shared_ptr<const Content> content_;
};

/// A batch. Works on a copy of the records and writes nothing before commit. Holds the right to write until
/// destruction.
class JsonlItemWriter final : public ports::ItemWriter {
 public:
  /// `lock` is that of the store's file.
  JsonlItemWriter(JsonlItemStore& store, FileLock lock);

  Status read(ports::Call& call, std::span<const std::string_view> ids, ports::ItemVisitor visitor) override;
  Status read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  /// InvalidArgument: the category of an item does not exist.
  Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  Status put_category(ports::Call& call, const model::CategoryView& category) override;
  Result<bool> remove(ports::Call& call, std::string_view id) override;
  Result<bool> remove_category(ports::Call& call, std::string_view id) override;
  Result<model::Revision> commit(ports::Call& call) override;

 private:
  void add(Record record);

  JsonlItemStore& store_;
  const FileLock lock_;
  Records records_;
  const model::Revision first_;  // revision at the start of the batch
};

}  // namespace jsonl
