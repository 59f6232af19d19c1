// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/content/record_draft.hpp"

namespace kbase::content {

/// Reads one record from its JSON text by the rules of docs/content/json-lines.md and validation.md. Members that no
/// rule names are passed over (within metadata: kept); a member that counts must not stand twice. Keeps its memory from
/// record to record. One thread.
class RecordParser {
 public:
  /// `untyped` is the kind of a record that has no `type`.
  explicit RecordParser(RecordKind untyped) : untyped_(untyped) {}

  /// The record, or a Reject whose text is `json`: a loan of the parser and of `json` until the next call.
  Record parse(std::string_view json);

  /// The line within the last text, counted from 0, that its Reject is about.
  std::uint64_t defect_line() const { return defect_line_; }
  /// The member that its Reject is about; empty: the record as a whole.
  std::string_view defect_member() const { return draft_.defect_member(); }
  /// The names of the members that were passed over; a loan as above.
  model::TextList passed_over() { return draft_.passed_over(); }

 private:
  Record not_json(std::string_view json, std::size_t position, std::string_view reason);

  RecordKind untyped_;
  RecordDraft draft_;
  std::string reason_;
  std::uint64_t defect_line_ = 0;
};

}  // namespace kbase::content
