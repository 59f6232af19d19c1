// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "domain/model/item.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

using Record = decltype(ports::ContentRecord::record);

/// The members that a record may have, of all kinds. Members of an item's metadata are listed by their own names.
enum class Member : std::uint8_t {
  Type,
  Id,
  Title,
  Category,
  Content,
  Tags,
  Related,
  Metadata,
  Url,
  Summary,
  Aliases,
  Language,
  Version,
  Format,
  Sections,
  Source,
  Author,
  Created,
  Updated,
  Views,
  Name,
  Description,
  Icon,
  Subcategories,
  Item,
  Days,
  From,
  To,
  Words,
};
inline constexpr std::size_t kMemberCount = 29;

enum class RecordKind : std::uint8_t { Item, Category, Delete, Activity, Synonyms };

/// Return the member of a record, or of an item's metadata, with this name; nullopt: the name has no meaning.
std::optional<Member> record_member(std::string_view name);
std::optional<Member> metadata_member(std::string_view name);

/// Returns the name of a member.
std::string_view member_name(Member member);

/// Maximum number of unknown member names that are kept for one record.
inline constexpr std::size_t kMaxUnknownMembers = 64;

/// Returns the names of the members of a kind of record, including those of its metadata.
std::vector<std::string_view> member_names(RecordKind kind);

/// The required form of a member's value. Id: a text, or an integer, which becomes the text of its digits. Any: the
/// value is ignored.
enum class Shape : std::uint8_t { Text, Id, TextList, Count, Metadata, Days, Any };
Shape shape_of(Member member);

/// Largest integer that every JSON reader represents exactly.
inline constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << 53) - 1;

/// A list of strings that reuses the memory of its entries for each record.
class DraftList {
 public:
  void clear() { size_ = 0; }
  /// Replaces the list by the entries of a text that separates them by commas; white space around them is removed.
  void split(std::string_view text);
  std::size_t size() const { return size_; }
  bool contains(std::string_view text) const;
  /// Swaps `text` into the list. Afterwards `text` holds the memory of an old entry.
  void push(std::string& text);
  /// Valid until the list changes.
  model::TextList view();

 private:
  std::vector<std::string> texts_;
  std::size_t size_ = 0;
  std::vector<std::string_view> views_;
};

/// Collects the extra metadata of an item while it is parsed: compact JSON text without the outer braces, in the order
/// of the source. Stops when the text is longer than the limit in docs/content/validation.md.
class ExtraMembers {
 public:
  ExtraMembers() { clear(); }

  /// Starts a new record. Keeps the allocated memory.
  void clear();

  void key(std::string_view name);
  void string(std::string_view text);
  /// Appends a number, true, false or null, spelled as in JSON.
  void literal(std::string_view text);
  void open(char bracket);
  void close(char bracket);

  /// Valid until the next record.
  std::string_view text() const { return text_; }

  bool too_long() const { return text_.size() > model::kMaxExtraBytes; }
  /// A key that occurs twice in one object, at any depth.
  const std::optional<std::string>& repeated_key() const { return repeated_key_; }
  /// Whether the repeated key is in a nested object. There, a key may have the name of a record member.
  bool repeats_within() const { return repeats_within_; }

 private:
  /// Returns false if the limit is exceeded. Otherwise appends the comma that the next value needs, if any.
  bool begin_value();

  std::string text_;
  std::vector<std::unordered_set<std::string>> keys_;  // keys of the open objects, the metadata object first
  std::optional<std::string> repeated_key_;
  bool repeats_within_ = false;
  bool comma_next_ = false;
};

/// Collects the members of a record while its kind is still unknown, then validates the record. Reused for each record.
/// Not thread-safe.
class RecordDraft {
 public:
  void clear();

  /// Starts a member. Marks it as given, or as given twice if it was started before.
  void begin(Member member);
  /// Marks the member's value as not having the required shape.
  void mismatch(Member member);

  /// Sets the value of a member with Shape::Text by swapping in `text`.
  void set_text(Member member, std::string& text);
  DraftList& list(Member member);
  /// Sets a list from a text: the entries of tags and aliases are separated by commas; other lists get one entry.
  void set_list(Member member, std::string& text);
  void set_views(std::uint64_t views) { views_ = views; }
  void add_day(std::string_view day, std::uint64_t views);
  ExtraMembers& extra() { return extra_; }
  /// Whether the member has a value of the required shape.
  bool has(Member member) const { return states_[static_cast<std::size_t>(member)] == State::Given; }
  /// Whether the record does not have the member.
  bool lacks(Member member) const { return states_[static_cast<std::size_t>(member)] == State::Absent; }
  /// The value of a member with Shape::Text or Shape::Id.
  const std::string& text(Member member) const;
  /// Notes a member of the record that no rule names.
  void ignore_member(std::string& name);

  /// Makes a Reject name no option of `kbase import` that gives records a missing member.
  void name_no_options() { names_options_ = false; }

  /// Returns the record, a view of the draft valid until the next clear(). If the record is not valid, returns a Reject
  /// without a text that names the first broken rule. `untyped` is the kind of a record without `type`.
  Record build_record(RecordKind untyped);

  /// The member that the last Reject is about; empty: the record as a whole. Valid until the next clear().
  std::string_view defect_member() const { return defect_member_; }
  /// The members that the last record ignored, each once. Valid until the next clear().
  model::TextList ignored_members() { return ignored_members_.view(); }

 private:
  enum class State : std::uint8_t { Absent, Given, Mismatch, Repeated };

  State& state(Member member) { return states_[static_cast<std::size_t>(member)]; }
  std::optional<RecordKind> find_kind(RecordKind untyped);
  bool check_shape(Member member, bool required);
  bool check_id(Member member, bool required);
  bool check_ids(Member member);
  bool check_description();
  bool read_day(Member member, std::optional<model::Day>& day);
  bool check_extra();
  bool check_days();
  bool check_word(std::string_view name, std::string_view word);
  bool check_words(Member member);
  std::optional<Record> build_item();
  std::optional<Record> build_category();
  std::optional<Record> build_deletion();
  std::optional<Record> build_activity();
  std::optional<Record> build_synonyms();
  void ignore_members_not_of(RecordKind kind);
  bool reject(std::string_view member, std::string reason);

  std::array<State, kMemberCount> states_{};
  std::array<std::string, kMemberCount> texts_;
  DraftList tags_, related_, subcategories_, aliases_, words_;
  std::uint64_t views_ = 0;
  std::vector<ports::DayViews> days_;
  std::string bad_day_;
  ExtraMembers extra_;
  DraftList ignored_members_;
  std::string reason_, defect_member_;
  bool names_options_ = true;
};

}  // namespace kbase::content
