// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/content/record_draft.hpp"

namespace kbase::content {

/// Parses one record from JSON text by the rules of docs/content/json-lines.md and validation.md. Ignores members that
/// no rule names, but keeps those of metadata. Rejects a record in which a known member occurs twice. Reuses its memory
/// for each record. Not thread-safe.
class RecordParser {
 public:
  /// `untyped` is the kind of a record that has no `type`.
  explicit RecordParser(RecordKind untyped) : untyped_(untyped) {}

  /// Returns the record, or a Reject whose text is `json`. The result is a view of the parser and of `json`, valid
  /// until the next call.
  Record parse(std::string_view json);

  /// The line within the last text, counted from 0, that its Reject is about.
  std::uint64_t defect_line() const { return defect_line_; }
  /// The member that its Reject is about; empty: the record as a whole.
  std::string_view defect_member() const { return draft_.defect_member(); }
  /// The names of the ignored members. A view of the parser, valid until the next call.
  model::TextList ignored_members() { return draft_.ignored_members(); }

 private:
  Record reject_json(std::string_view json, std::size_t position, std::string_view reason);

  RecordKind untyped_;
  RecordDraft draft_;
  std::string reason_;
  std::uint64_t defect_line_ = 0;
};

}  // namespace kbase::content
