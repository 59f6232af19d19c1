// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/table_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "adapters/content/record_parser.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

constexpr std::string_view kSeparators = ",;\t";

/// Splits a stream into rows. A line feed in a quoted field does not end the row. Not thread-safe.
class Rows {
 public:
  explicit Rows(ByteStream& stream) : lines_(stream) {}

  /// Moves to the next row that is not empty; false at the end. Errors: those of the stream.
  Result<bool> next() {
    do {
      row_.clear();
      is_quoted_ = false;
      too_long_ = false;
      const auto more = KBASE_TRY(lines_.next());
      if (!more) return false;
      line_ = lines_.number();
      append_line();
      while (is_quoted_) {
        const auto inside = KBASE_TRY(lines_.next());
        if (!inside) break;
        row_ += '\n';
        append_line();
      }
    } while (row_.empty() && !too_long_);
    return true;
  }

  /// Valid until the next call of next(). Empty if the row is too long.
  std::string_view row() const { return row_; }
  bool too_long() const { return too_long_; }
  /// Whether the last field of the row has no closing quote.
  bool is_open() const { return is_quoted_; }
  /// The line on which the row starts.
  std::uint64_t line() const { return line_; }

 private:
  void append_line() {
    too_long_ = too_long_ || lines_.too_long() || row_.size() + lines_.line().size() > kMaxRecordBytes;
    if (too_long_) {
      row_.clear();
      is_quoted_ = false;
      return;
    }
    const std::size_t begin = row_.size();
    row_ += lines_.line();
    for (std::size_t at = begin; at < row_.size(); ++at) {
      if (row_[at] != '"') continue;
      // In a field, two quotes are one; the first of them closes it, and the second opens it again.
      const bool opens = at == 0 || kSeparators.find(row_[at - 1]) != std::string_view::npos || row_[at - 1] == '"';
      is_quoted_ = is_quoted_ ? false : opens;
    }
  }

  LineReader lines_;
  std::string row_;
  std::uint64_t line_ = 0;
  bool is_quoted_ = false, too_long_ = false;
};

/// Splits a row into its fields, without quotes.
void split(std::string_view row, char separator, std::vector<std::string>& fields) {
  fields.clear();
  for (std::size_t at = 0;;) {
    std::string& field = fields.emplace_back();
    if (at < row.size() && row[at] == '"') {
      for (++at; at < row.size(); ++at) {
        if (row[at] == '"' && (at + 1 == row.size() || row[at + 1] != '"')) break;
        if (row[at] == '"') ++at;
        field += row[at];
      }
      at = std::min(at + 1, row.size());
    }
    const std::size_t end = std::min(row.find(separator, at), row.size());
    field += row.substr(at, end - at);
    if (end == row.size()) return;
    at = end + 1;
  }
}

/// Returns the separator that the header line has most often outside of quotes.
char separator_of(std::string_view header) {
  char best = ',';
  std::size_t most = 0;
  std::vector<std::string> fields;
  for (const char separator : kSeparators) {
    split(header, separator, fields);
    if (fields.size() > most) {
      most = fields.size();
      best = separator;
    }
  }
  return best;
}

struct Column {
  std::string name;
  std::optional<Member> member;
};

/// Returns why the columns do not make an item; empty: they do.
std::string missing_column(const std::vector<Column>& columns, const MemberMap& map) {
  for (const Member member : {Member::Id, Member::Title, Member::Category}) {
    const std::string name(member_name(member));
    const std::string_view source = map.source_of(member);
    const bool is_given = std::any_of(columns.begin(), columns.end(),
                                      [&](const Column& each) { return each.member == member || each.name == source; });
    if (source.empty() || is_given) continue;
    if (source != name) return "has no column \"" + std::string(source) + "\", which --map names for " + name;
    return "has no column \"" + name + "\"; name another column with --map " + name + "=COLUMN" +
           (member == Member::Category ? ", or a category for all items with --map \"category='NAME'\"" : "");
  }
  return {};
}

void set(RecordDraft& draft, Member member, std::string& field) {
  draft.begin(member);
  switch (shape_of(member)) {
    case Shape::TextList: draft.list(member).split(field); break;
    case Shape::Count: {
      std::uint64_t count = 0;
      const auto [end, failure] = std::from_chars(field.data(), field.data() + field.size(), count);
      if (failure != std::errc() || end != field.data() + field.size() || count > kMaxCount)
        draft.mismatch(member);
      else
        draft.set_views(count);
      break;
    }
    default: draft.set_text(member, field);
  }
}

/// Reads rows as records. Reuses its memory for each row. Not thread-safe.
class Table {
 public:
  Table(std::vector<Column> columns, char separator, const MemberMap& map)
      : columns_(std::move(columns)), separator_(separator), map_(map) {}

  /// Returns the record, a view of the table that is valid until the next call.
  Record record(const Rows& rows) {
    const std::string_view row = rows.row();
    draft_.clear();
    if (rows.too_long()) return ports::Reject{kRecordTooLong};
    if (!utf8::is_valid(row)) return ports::Reject{"is not valid UTF-8"};
    if (rows.is_open()) return ports::Reject{"a quoted field does not end"};
    split(row, separator_, fields_);
    if (fields_.size() != columns_.size()) {
      reason_ = "has " + std::to_string(fields_.size()) + " fields, but the header line has " +
                std::to_string(columns_.size());
      return ports::Reject{reason_};
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (columns_[i].member && !fields_[i].empty()) set(draft_, *columns_[i].member, fields_[i]);
      std::string name = columns_[i].name;
      if (!columns_[i].member && !name.empty()) draft_.ignore_member(name);
    }
    map_.complete(draft_);
    return draft_.build_record(RecordKind::Item);
  }

  model::TextList ignored() { return draft_.ignored_members(); }

 private:
  const std::vector<Column> columns_;
  const char separator_;
  const MemberMap& map_;
  std::vector<std::string> fields_;
  RecordDraft draft_;
  std::string reason_;
};

}  // namespace

Result<Visit> read_table(ByteStream& stream, std::string_view file, const MemberMap& map, const ports::Call& call,
                         Visitor<ports::ContentRecord> visitor) {
  Rows rows(stream);
  const auto has_header = KBASE_TRY(rows.next());
  if (!has_header) return unreadable(file, "is empty; expected a line with the names of the columns");
  if (rows.too_long() || !utf8::is_valid(rows.row()))
    return unreadable(file, "does not begin with a line of column names in UTF-8", 1);
  const char separator = separator_of(rows.row());
  std::vector<std::string> names;
  split(rows.row(), separator, names);
  std::vector<Column> columns;
  for (const std::string& name : names) {
    const std::string trimmed(utf8::trimmed(name));
    columns.push_back({trimmed, map.column_member(trimmed)});
  }
  if (const std::string reason = missing_column(columns, map); !reason.empty()) return unreadable(file, reason, 1);

  Table table(std::move(columns), separator, map);
  for (;;) {
    if (call.cancelled()) return reading_cancelled(file);
    const auto more = KBASE_TRY(rows.next());
    if (!more) return Visit::Continue;
    ports::ContentRecord record{{file, rows.line()}, table.record(rows)};
    record.unknown.ignored = table.ignored();
    if (!rows.too_long()) record.text = rows.row();
    if (visitor(record) == Visit::Stop) return Visit::Stop;
  }
}

}  // namespace kbase::content
