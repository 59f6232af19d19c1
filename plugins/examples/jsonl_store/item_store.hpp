// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "content.hpp"
#include "log.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"

namespace jsonl {

/// Item store of a small knowledge base in one JSON Lines file. Each line is a change; the last line of a record is its
/// current state. All content is in memory, so readers never wait; a commit returns when it is on the disk. Any number
/// of processes can read the file while one writes it; revision() and begin() see the commits of other processes.
///
/// Ownership: the arguments of open() must outlive the store, and the store must outlive its writer.
class JsonlItemStore final : public ports::ItemStore {
 public:
  /// Errors: see Log::open.
  static model::Result<std::shared_ptr<JsonlItemStore>> open(const std::filesystem::path& path,
                                                             const ports::Clock& clock, ports::Random& random,
                                                             ports::EventLog& events);

  Capabilities capabilities() const override;
  model::StoreId store_id() const override;
  model::Result<model::Revision> revision(ports::Call& call) override;
  model::Status get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) override;
  model::Status summaries(ports::Call& call, std::span<const std::string_view> ids,
                          ports::SummaryVisitor visitor) override;
  model::Status recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                       ports::SummaryVisitor visitor) override;
  model::Status category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  model::Status categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) override;
  model::Result<ports::StoreTotals> totals(ports::Call& call, model::Day today) override;
  model::Status category_views(ports::Call& call, model::Visitor<ports::CategoryViews> visitor) override;
  model::Result<model::Revision> changes(ports::Call& call, model::Revision after,
                                         ports::ChangeVisitor visitor) override;
  model::Result<std::unique_ptr<ports::ItemWriter>> begin(ports::Call& call) override;
  model::Status health(ports::Call& call) override;

 private:
  friend class JsonlItemWriter;

  JsonlItemStore(std::filesystem::path path, Log log, const Records& records, const ports::Clock& clock,
                 ports::EventLog& events);

  std::shared_ptr<const Content> content() const;
  void publish(const Records& records);
  model::Status follow();   // call with log_mutex_ held
  model::Status prepare();  // prepares for a batch; locks log_mutex_
  model::Status write(std::string batch, std::uint64_t lines, const Records& records, model::Instant at);

  const std::filesystem::path path_;
  const ports::Clock& clock_;
  ports::EventLog& events_;
  const model::StoreId store_id_;

  std::mutex log_mutex_;  // guards log_; held during disk writes
  Log log_;

  mutable std::mutex content_mutex_;  // guards the pointer; held only while copying it
  std::shared_ptr<const Content> content_;
};

}  // namespace jsonl
