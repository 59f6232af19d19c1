// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/record_draft.hpp"

#include <algorithm>
#include <utility>

#include "adapters/content/dates.hpp"
#include "domain/base/text.hpp"
#include "domain/model/ids.hpp"

namespace kbase::content {
namespace {

/// A bit set of record kinds.
using Kinds = unsigned;
constexpr Kinds kind_bit(RecordKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr Kinds kItem = kind_bit(RecordKind::Item);
constexpr Kinds kCategory = kind_bit(RecordKind::Category);
constexpr Kinds kDelete = kind_bit(RecordKind::Delete);
constexpr Kinds kActivity = kind_bit(RecordKind::Activity);
constexpr Kinds kSynonyms = kind_bit(RecordKind::Synonyms);

struct MemberRule {
  std::string_view name;
  Shape shape;
  Kinds kinds;  // kinds that have this member
  bool of_metadata = false;
};

// In the order of the enum Member.
constexpr std::array<MemberRule, kMemberCount> kRules = {{
    {"type", Shape::Text, kItem | kCategory | kDelete | kActivity | kSynonyms},
    {"id", Shape::Id, kItem | kCategory | kDelete},
    {"title", Shape::Text, kItem},
    {"category", Shape::Text, kItem},
    {"content", Shape::Text, kItem},
    {"tags", Shape::TextList, kItem},
    {"related", Shape::TextList, kItem},
    {"metadata", Shape::Metadata, kItem},
    {"url", Shape::Text, kItem},
    {"summary", Shape::Text, kItem},
    {"aliases", Shape::TextList, kItem},
    {"language", Shape::Text, kItem},
    {"version", Shape::Text, kItem},
    {"format", Shape::Text, kItem},
    {"sections", Shape::Any, kItem},  // an answer of the server has them; an import computes them
    {"source", Shape::Text, kItem | kSynonyms},
    {"author", Shape::Text, kItem, true},
    {"created", Shape::Text, kItem, true},
    {"updated", Shape::Text, kItem, true},
    {"views", Shape::Count, kItem, true},
    {"name", Shape::Text, kCategory},
    {"description", Shape::Text, kCategory},
    {"icon", Shape::Text, kCategory},
    {"subcategories", Shape::TextList, kCategory},
    {"item", Shape::Id, kActivity},
    {"days", Shape::Days, kActivity},
    {"from", Shape::Text, kSynonyms},
    {"to", Shape::TextList, kSynonyms},
    {"words", Shape::TextList, kSynonyms},
}};

constexpr std::array<std::pair<std::string_view, RecordKind>, 5> kKinds = {{{"item", RecordKind::Item},
                                                                            {"category", RecordKind::Category},
                                                                            {"delete", RecordKind::Delete},
                                                                            {"activity", RecordKind::Activity},
                                                                            {"synonyms", RecordKind::Synonyms}}};

const MemberRule& get_rule(Member member) { return kRules[static_cast<std::size_t>(member)]; }

std::optional<Member> find_member(std::string_view name, bool of_metadata) {
  for (std::size_t i = 0; i < kMemberCount; ++i)
    if (kRules[i].of_metadata == of_metadata && kRules[i].name == name) return static_cast<Member>(i);
  return std::nullopt;
}

std::string_view describe_shape(Shape shape) {
  switch (shape) {
    case Shape::Text: return "a string";
    case Shape::Id: return "a string or an integer";
    case Shape::Any: break;
    case Shape::TextList: return "an array of strings";
    case Shape::Count: return "an integer from 0 to 9007199254740991";
    case Shape::Metadata: return "an object";
    case Shape::Days: return "an object of dates and counts from 0 to 9007199254740991";
  }
  return "something else";
}

std::string quote(std::string_view text) {
  constexpr std::size_t kShown = 80;
  return '"' + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...\"" : "\"");
}

/// How an import gives records a member that they lack.
std::string remedy_for(Member member) {
  if (member == Member::Id) return "; --map id=NAME takes it from another member";
  if (member == Member::Title) return "; --map title=NAME takes it from another member";
  return member == Member::Category ? "; --map category=\"'NAME'\" sets it for all records" : std::string();
}

std::string describe_invalid_date(std::string_view text) {
  return quote(text) + " is not a valid date; expected YYYY-MM-DD";
}

}  // namespace

std::optional<Member> record_member(std::string_view name) { return find_member(name, false); }

std::optional<Member> metadata_member(std::string_view name) { return find_member(name, true); }

std::string_view member_name(Member member) { return get_rule(member).name; }

std::vector<std::string_view> member_names(RecordKind kind) {
  std::vector<std::string_view> names;
  for (const MemberRule& rule : kRules)
    if ((rule.kinds & kind_bit(kind)) != 0) names.push_back(rule.name);
  return names;
}

Shape shape_of(Member member) { return get_rule(member).shape; }

bool DraftList::contains(std::string_view text) const {
  const auto end = texts_.begin() + static_cast<std::ptrdiff_t>(size_);
  return std::find(texts_.begin(), end, text) != end;
}

void DraftList::split(std::string_view text) {
  clear();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string entry(utf8::trimmed(text.substr(0, end)));
    if (!entry.empty()) push(entry);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void DraftList::push(std::string& text) {
  if (size_ == texts_.size()) texts_.emplace_back();
  std::swap(texts_[size_++], text);
}

model::TextList DraftList::view() {
  views_.assign(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(size_));
  return views_;
}

void RecordDraft::clear() {
  states_.fill(State::Absent);
  for (std::string& text : texts_) text.clear();
  tags_.clear();
  related_.clear();
  subcategories_.clear();
  aliases_.clear();
  words_.clear();
  views_ = 0;
  days_.clear();
  bad_day_.clear();
  extra_.clear();
  ignored_members_.clear();
  defect_member_.clear();
}

void RecordDraft::begin(Member member) {
  state(member) = state(member) == State::Absent ? State::Given : State::Repeated;
}

void RecordDraft::mismatch(Member member) {
  if (state(member) == State::Given) state(member) = State::Mismatch;
}

void RecordDraft::set_text(Member member, std::string& text) {
  std::swap(texts_[static_cast<std::size_t>(member)], text);
}

DraftList& RecordDraft::list(Member member) {
  switch (member) {
    case Member::Tags: return tags_;
    case Member::Related: return related_;
    case Member::Aliases: return aliases_;
    case Member::To:
    case Member::Words: return words_;
    default: return subcategories_;
  }
}

void RecordDraft::set_list(Member member, std::string& text) {
  if (member == Member::Tags || member == Member::Aliases) return list(member).split(text);
  list(member).clear();
  list(member).push(text);
}

void RecordDraft::add_day(std::string_view day, std::uint64_t views) {
  const auto parsed = model::parse_day(day);
  if (!parsed)
    bad_day_ = describe_invalid_date(day);
  else if (views != 0)  // a day without views counts as absent
    days_.push_back({*parsed, views});
}

void RecordDraft::ignore_member(std::string& name) {
  if (ignored_members_.size() < kMaxUnknownMembers && !ignored_members_.contains(name)) ignored_members_.push(name);
}

void RecordDraft::ignore_members_not_of(RecordKind kind) {
  for (std::size_t i = 0; i < kMemberCount; ++i) {
    if (states_[i] == State::Absent || kRules[i].of_metadata || (kRules[i].kinds & kind_bit(kind)) != 0) continue;
    std::string name(kRules[i].name);
    ignore_member(name);
  }
}

const std::string& RecordDraft::text(Member member) const { return texts_[static_cast<std::size_t>(member)]; }

bool RecordDraft::reject(std::string_view member, std::string reason) {
  reason_ = std::move(reason);
  defect_member_ = member;
  return false;
}

bool RecordDraft::check_shape(Member member, bool required) {
  const MemberRule& rule = get_rule(member);
  const std::string name = (rule.of_metadata ? "metadata." : "") + std::string(rule.name);
  switch (state(member)) {
    case State::Given: return true;
    case State::Absent:
      return !required || reject({}, name + " is missing" + (names_options_ ? remedy_for(member) : std::string()));
    case State::Mismatch: return reject(rule.name, name + " must be " + std::string(describe_shape(rule.shape)));
    case State::Repeated: return reject(rule.name, name + " is given twice");
  }
  return false;
}

bool RecordDraft::check_id(Member member, bool required) {
  if (!check_shape(member, required)) return false;
  const std::string_view name = get_rule(member).name;
  const std::string_view defect = model::id_defect(text(member));
  return defect.empty() || reject(name, std::string(name) + ": " + std::string(defect));
}

bool RecordDraft::check_ids(Member member) {
  if (!check_shape(member, false)) return false;
  const std::string_view name = get_rule(member).name;
  for (const std::string_view id : list(member).view())
    if (const std::string_view defect = model::id_defect(id); !defect.empty())
      return reject(name, std::string(name) + ": " + std::string(defect));
  return true;
}

bool RecordDraft::check_description() {
  for (const Member member : {Member::Url, Member::Summary, Member::Aliases, Member::Language, Member::Version,
                              Member::Format, Member::Source})
    if (!check_shape(member, false)) return false;
  if (const std::string& url = text(Member::Url); !url.empty() && !model::is_page_address(url))
    return reject("url", "url: " + quote(url) + " is not an address; expected http://, https:// or a path");
  if (const std::string& language = text(Member::Language); !language.empty() && !model::is_language(language))
    return reject("language", "language: " + quote(language) + " is not a language tag; expected one like en or pt-BR");
  if (!model::parse_format(text(Member::Format)))
    return reject("format", "format: " + quote(text(Member::Format)) + " is unknown; expected markdown, html or text");
  return true;
}

bool RecordDraft::read_day(Member member, std::optional<model::Day>& day) {
  if (!check_shape(member, false)) return false;
  if (state(member) == State::Absent) return true;
  const std::string& value = text(member);
  day = model::parse_day(value);
  const bool may_be_time = value.size() > 13 && (value[10] == 'T' || value[10] == ' ') && value[13] == ':';
  if (!day && may_be_time && model::parse_day(value.substr(0, 10))) day = parse_any_date(value);
  const std::string_view name = get_rule(member).name;
  return day || reject(name, "metadata." + std::string(name) + ": " + describe_invalid_date(value));
}

bool RecordDraft::check_extra() {
  if (extra_.too_long()) return reject({}, "metadata has more than 16 KiB of extra members");
  const auto& key = extra_.repeated_key();
  if (!key) return true;
  return reject(extra_.repeats_within() ? std::string_view() : *key, "metadata has " + quote(*key) + " twice");
}

bool RecordDraft::check_days() {
  if (!check_shape(Member::Days, true)) return false;
  if (!bad_day_.empty()) return reject("days", "days: " + bad_day_);
  const auto by_day = [](const ports::DayViews& a, const ports::DayViews& b) { return a.day < b.day; };
  std::sort(days_.begin(), days_.end(), by_day);
  const auto same_day = [](const ports::DayViews& a, const ports::DayViews& b) { return a.day == b.day; };
  const auto twice = std::adjacent_find(days_.begin(), days_.end(), same_day);
  return twice == days_.end() || reject("days", "days has " + model::format_day(twice->day) + " twice");
}

std::optional<Record> RecordDraft::build_item() {
  ports::ItemRecord item;
  if (!check_id(Member::Id, true) || !check_shape(Member::Title, true) || !check_id(Member::Category, true) ||
      !check_shape(Member::Content, false) || !check_shape(Member::Tags, false) || !check_ids(Member::Related) ||
      !check_shape(Member::Metadata, false) || !check_shape(Member::Author, false) ||
      !read_day(Member::Created, item.created) || !read_day(Member::Updated, item.updated) ||
      !check_shape(Member::Views, false) || !check_extra() || !check_description())
    return std::nullopt;
  item.id = text(Member::Id);
  item.title = text(Member::Title);
  item.category = text(Member::Category);
  item.content = text(Member::Content);
  item.metadata.author = text(Member::Author);
  item.metadata.extra = extra_.text();
  item.tags = tags_.view();
  item.related = related_.view();
  item.url = text(Member::Url);
  item.summary = text(Member::Summary);
  item.aliases = aliases_.view();
  item.language = text(Member::Language);
  item.version = text(Member::Version);
  item.format = text(Member::Format);
  item.source = text(Member::Source);
  item.metadata.views = views_;
  return item;
}

std::optional<Record> RecordDraft::build_category() {
  if (!check_id(Member::Id, true) || !check_shape(Member::Name, false) || !check_shape(Member::Description, false) ||
      !check_shape(Member::Icon, false) || !check_ids(Member::Subcategories))
    return std::nullopt;
  ports::CategoryRecord category;
  category.id = text(Member::Id);
  category.name = text(Member::Name);
  category.description = text(Member::Description);
  category.icon = text(Member::Icon);
  category.subcategories = subcategories_.view();
  return category;
}

std::optional<Record> RecordDraft::build_deletion() {
  if (!check_id(Member::Id, true)) return std::nullopt;
  return ports::DeleteRecord{text(Member::Id)};
}

std::optional<Record> RecordDraft::build_activity() {
  if (!check_id(Member::Item, true) || !check_days()) return std::nullopt;
  return ports::ActivityRecord{text(Member::Item), days_};
}

bool RecordDraft::check_word(std::string_view name, std::string_view word) {
  if (utf8::trimmed(word).empty()) return reject(name, std::string(name) + " has an empty word");
  return word.size() <= model::kMaxSynonymBytes ||
         reject(name, std::string(name) + ": " + quote(word) + " is longer than " +
                          std::to_string(model::kMaxSynonymBytes) + " bytes");
}

bool RecordDraft::check_words(Member member) {
  const std::string_view name = member_name(member);
  if (!check_shape(member, true)) return false;
  const model::TextList words = words_.view();
  if (words.size() > model::kMaxSynonymWords)
    return reject(name, std::string(name) + " has more than " + std::to_string(model::kMaxSynonymWords) + " words");
  if (words.empty() && member == Member::Words)
    return reject(name, "words is empty; its first word names the synonyms to replace or remove");
  return std::all_of(words.begin(), words.end(), [&](std::string_view word) { return check_word(name, word); });
}

std::optional<Record> RecordDraft::build_synonyms() {
  const bool is_one_way = state(Member::From) != State::Absent || state(Member::To) != State::Absent;
  const bool has_words = state(Member::Words) != State::Absent;
  if (is_one_way && has_words) reject("words", "words does not go with from and to; write two lines");
  if ((is_one_way && has_words) || !check_shape(Member::Source, false) || !check_shape(Member::From, is_one_way) ||
      (is_one_way && !check_word("from", text(Member::From))) || !check_words(is_one_way ? Member::To : Member::Words))
    return std::nullopt;
  return model::SynonymsView{text(Member::From), words_.view(), text(Member::Source)};
}

std::optional<RecordKind> RecordDraft::find_kind(RecordKind untyped) {
  if (state(Member::Type) == State::Absent) return untyped;
  if (!check_shape(Member::Type, true)) return std::nullopt;
  for (const auto& [name, kind] : kKinds)
    if (name == text(Member::Type)) return kind;
  reject("type",
         "type " + quote(text(Member::Type)) + " is unknown; expected item, category, delete, activity or synonyms");
  return std::nullopt;
}

Record RecordDraft::build_record(RecordKind untyped) {
  std::optional<Record> record;
  if (const auto known = find_kind(untyped)) {
    ignore_members_not_of(*known);
    switch (*known) {
      case RecordKind::Item: record = build_item(); break;
      case RecordKind::Category: record = build_category(); break;
      case RecordKind::Delete: record = build_deletion(); break;
      case RecordKind::Activity: record = build_activity(); break;
      case RecordKind::Synonyms: record = build_synonyms(); break;
    }
  }
  return record ? *record : ports::Reject{reason_};
}

}  // namespace kbase::content
