// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/content/extra_members.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

using Record = decltype(ports::ContentRecord::record);

enum class RecordKind : std::uint8_t { Item, Category, Delete, Activity };

/// The members that a record of any kind may have; those of an item's metadata are told by their own name.
enum class Member : std::uint8_t {
  Type,
  Id,
  Title,
  Category,
  Content,
  Tags,
  Related,
  Metadata,
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
};
inline constexpr std::size_t kMembers = 18;

/// The member of a record, or of an item's metadata, that has this name; nullopt: one of no meaning.
std::optional<Member> record_member(std::string_view name);
std::optional<Member> metadata_member(std::string_view name);

/// Names of unknown members that are kept of one record.
inline constexpr std::size_t kMostUnknownMembers = 64;

/// The names of the members that records of a kind have, those of its metadata included.
std::vector<std::string_view> member_names(RecordKind kind);

/// What a member's value must be.
enum class Shape : std::uint8_t { Text, TextList, Count, Metadata, Days };
Shape shape_of(Member member);

inline constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << 53) - 1;  ///< what every JSON reader can hold exactly

/// A list of texts that keeps the memory of its entries from record to record.
class DraftList {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool contains(std::string_view text) const;
  /// Takes the text and leaves an old one's memory in its place.
  void push(std::string& text);
  /// Valid until the list changes.
  model::TextList view();

 private:
  std::vector<std::string> texts_;
  std::size_t size_ = 0;
  std::vector<std::string_view> views_;
};

/// A record while it is read, member by member, before anything is known of its kind; then the check of its rules.
/// Used again for each record. One thread.
class RecordDraft {
 public:
  void clear();

  /// A member begins; from now on given(member), and twice(member) if it was before.
  void begin(Member member);
  /// The member's value is not of its shape.
  void mismatch(Member member);

  /// Takes the text as the value of a member of shape Text.
  void set_text(Member member, std::string& text);
  DraftList& list(Member member);
  void set_views(std::uint64_t views) { views_ = views; }
  void add_day(std::string_view day, std::uint64_t views);
  ExtraMembers& extra() { return extra_; }
  /// A member of the record that no rule names.
  void pass_over(std::string& name);

  /// The record as a loan until the next clear(). A Reject that names the first broken rule, without a text, where it
  /// is none. `untyped` is the kind where it names none.
  Record record(RecordKind untyped);

  /// The member that the last Reject is about; empty: the record as a whole. Until the next clear().
  std::string_view defect_member() const { return defect_member_; }
  /// The members that the last record was made without, each once. Until the next clear().
  model::TextList passed_over() { return passed_over_.view(); }

 private:
  enum class State : std::uint8_t { Absent, Given, Mismatch, Twice };

  State& state(Member member) { return states_[static_cast<std::size_t>(member)]; }
  const std::string& text(Member member) const;
  std::optional<RecordKind> kind(RecordKind untyped);
  bool has_shape(Member member, bool required);
  bool has_id(Member member, bool required);
  bool has_ids(Member member);
  bool has_day(Member member, std::optional<model::Day>& day);
  bool has_extra();
  bool has_days();
  std::optional<Record> item();
  std::optional<Record> category();
  std::optional<Record> deletion();
  std::optional<Record> activity();
  void pass_over_members_not_of(RecordKind kind);
  bool reject(std::string_view member, std::string reason);

  std::array<State, kMembers> states_{};
  std::array<std::string, kMembers> texts_;
  DraftList tags_, related_, subcategories_;
  std::uint64_t views_ = 0;
  std::vector<ports::DayViews> days_;
  std::string bad_day_;
  ExtraMembers extra_;
  DraftList passed_over_;
  std::string reason_, defect_member_;
};

}  // namespace kbase::content
