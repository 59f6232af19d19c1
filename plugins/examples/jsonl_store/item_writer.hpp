// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "item_store.hpp"

namespace jsonl {

/// A batch: the records after the batch, and the lines to append. Writes nothing before commit.
class JsonlItemWriter final : public ports::ItemWriter {
 public:
  /// Precondition: the store has read all commits made before `lock` was acquired.
  JsonlItemWriter(JsonlItemStore& store, WriterLock lock);

  model::Status read(ports::Call& call, std::span<const std::string_view> ids, ports::ItemVisitor visitor) override;
  model::Status read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  /// InvalidArgument: the category of an item does not exist.
  model::Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  model::Status put_category(ports::Call& call, const model::CategoryView& category) override;
  model::Result<bool> remove(ports::Call& call, std::string_view id) override;
  model::Result<bool> remove_category(ports::Call& call, std::string_view id) override;
  model::Result<model::Revision> commit(ports::Call& call) override;

 private:
  void add(Record record);

  JsonlItemStore& store_;
  std::optional<WriterLock> lock_;  // empty after the commit
  Records records_;
  std::string batch_;
  std::uint64_t lines_ = 0;
};

}  // namespace jsonl
