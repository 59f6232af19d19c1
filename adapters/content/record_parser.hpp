// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/member_map.hpp"
#include "adapters/content/record_draft.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/content_source.hpp"

/// Rules of JSON text (RFC 8259) that the readers and the writer share.
namespace kbase::content {

/// Visits the records of a JSON Lines file: one JSON object on each line that is not blank. Holds at most one line in
/// memory. Places and errors name `file`. `untyped` is the kind of a record that has no `type`, and `map` names its
/// members. Returns the last result of the visitor. Errors: InvalidArgument (unreadable()), Cancelled.
Result<Visit> read_json_lines(ByteStream& stream, std::string_view file, RecordKind untyped, const MemberMap& map,
                              const ports::Call& call, Visitor<ports::ContentRecord> visitor);

/// Returns the error for a read that was cancelled.
Error reading_cancelled(std::string_view file);

/// Visits the records of a JSON document: the elements of its only array, which is at its top or is the only member of
/// its top-level object that is an array. A record without `type` is an item. Otherwise works like read_json_lines().
/// InvalidArgument, too: outside its elements the document is not JSON, or it has no array or two arrays.
Result<Visit> read_json_document(ByteStream& stream, std::string_view file, const MemberMap& map,
                                 const ports::Call& call, Visitor<ports::ContentRecord> visitor);

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Whether `text` is a number in the grammar of section 6.
bool is_json_number(std::string_view text);

/// Whether `c` is white space in the grammar of section 2: space, tab, line feed, carriage return.
constexpr bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Parses one record from JSON text by the rules of docs/content/json-lines.md and validation.md. Ignores members that
/// no rule names, but keeps those of metadata. Rejects a record in which a known member occurs twice. Reuses its memory
/// for each record. Not thread-safe.
class RecordParser {
 public:
  /// `untyped` is the kind of a record that has no `type`.
  explicit RecordParser(RecordKind untyped, MemberMap map = {}) : untyped_(untyped), map_(std::move(map)) {}

  /// Sets the id of a record that is written alone, and whose text need not have it. A record with another id is
  /// rejected.
  void set_id(std::string_view id) {
    id_ = id;
    draft_.name_no_options();
  }

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
  MemberMap map_;
  RecordDraft draft_;
  std::string id_;  // empty: each record has its own
  std::string reason_;
  std::uint64_t defect_line_ = 0;
};

}  // namespace kbase::content
