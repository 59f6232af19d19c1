// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "item_store.hpp"

namespace jsonl {

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
