// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "domain/model/item.hpp"
#include "ports/driven/item_store.hpp"

namespace jsonl {

namespace model = kbase::model;
namespace ports = kbase::ports;
using kbase::Error;
using kbase::ErrorCode;
using kbase::Result;
using kbase::Status;
using kbase::Visit;
using kbase::Visitor;

/// Marker of a removed record.
struct Tombstone {
  ports::Change::Kind kind = ports::Change::Kind::ItemRemoved;
  std::string id;
  model::Revision revision = 0;
  model::Instant removed;
};

/// The newest state of one record. Immutable, so copies of Records share it.
using Record = std::variant<model::Item, model::Category, Tombstone>;
using RecordPtr = std::shared_ptr<const Record>;

model::Revision revision_of(const Record& record);

/// Minimum retention of tombstones.
inline constexpr std::chrono::hours kTombstoneRetention{30 * 24};

/// The newest state of every record, including tombstones: the content of the file. A batch works on a copy.
class Records {
 public:
  explicit Records(model::Revision dropped_up_to = 0) : dropped_up_to_(dropped_up_to) {}

  /// Replaces the record with the same id. The revision of `record` must be higher than all previous ones.
  void apply(RecordPtr record);

  /// Ends a batch. Drops tombstones older than `oldest`, up to the first newer one.
  void commit(model::Revision revision, model::Instant oldest);

  /// Return null if no record has this id.
  const model::Item* item(std::string_view id) const;
  const model::Category* category(std::string_view id) const;

  std::uint64_t items_in(std::string_view category) const;

  /// Returns all records, including tombstones.
  const std::map<model::Revision, RecordPtr>& by_revision() const { return by_revision_; }

  model::Revision revision() const { return revision_; }

  /// Newest revision of a dropped tombstone: the changes feed is incomplete after any older revision.
  model::Revision dropped_up_to() const { return dropped_up_to_; }

 private:
  using ById = std::map<std::string, RecordPtr, std::less<>>;

  void supersede(const Record& record);

  ById items_;
  ById categories_;
  std::map<std::string, std::uint64_t, std::less<>> items_in_;
  std::map<model::Revision, RecordPtr> by_revision_;
  std::set<model::Revision> tombstones_;
  model::Revision revision_ = 0;
  model::Revision dropped_up_to_ = 0;
};

// The file: a JSON object on each line. The first line names the format, the store and its revision; then comes a line
// for each record in the order of their revisions.

std::string write_lines(const model::StoreId& store_id, const Records& records);

struct FileContent {
  model::StoreId store_id{};
  Records records;
};

/// Corrupt: a line is not valid; the message has its number.
Result<FileContent> read_lines(std::string_view text);

}  // namespace jsonl
