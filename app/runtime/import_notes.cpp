// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/import_notes.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "adapters/content/page_members.hpp"
#include "adapters/content/record_draft.hpp"
#include "domain/base/similar_words.hpp"
#include "domain/base/text.hpp"

namespace kbase::runtime {
namespace {

constexpr std::size_t kMaxNames = 1000;  // maximum number of counted names: a source may use a new one in each record
constexpr std::size_t kMaxLines = 5;
constexpr std::size_t kMaxCodePoints = 60;

std::string shown(std::string_view name) {
  std::string text(utf8::prefix(name, kMaxCodePoints));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

/// The kind of the record. Invalid records count as items, which most of them are meant to be.
content::RecordKind kind_of(const ports::ContentRecord& record) {
  if (std::holds_alternative<ports::CategoryRecord>(record.record)) return content::RecordKind::Category;
  if (std::holds_alternative<ports::DeleteRecord>(record.record)) return content::RecordKind::Delete;
  if (std::holds_alternative<ports::ActivityRecord>(record.record)) return content::RecordKind::Activity;
  if (std::holds_alternative<model::SynonymsView>(record.record)) return content::RecordKind::Synonyms;
  return content::RecordKind::Item;
}

/// Returns the known member with a similar name; empty if no name is similar.
std::string meant_by(const std::string& name, content::RecordKind kind) {
  const std::string meant = nearest(name, content::member_names(kind));
  if (content::metadata_member(meant)) return "metadata." + meant;
  return meant == name ? std::string() : meant;  // the record has no known kind, or a different one
}

/// Returns the known member within one edit. For members stored as metadata, whose names may be intentional.
std::string clearly_meant_by(const std::string& name) {
  const std::string meant = nearest(name, content::front_matter_names());
  return edit_distance(name, meant) == 1 ? meant : std::string();
}

std::string line_of(std::string_view what_became, const std::string& name, std::uint64_t records,
                    const std::string& meant) {
  std::string line = std::string(what_became) + ": '" + name + "' in " + std::to_string(records) +
                     (records == 1 ? " record" : " records");
  return meant.empty() ? line : line + "; did you mean '" + meant + "'?";
}

template <class Tallies> auto most_frequent_first(const Tallies& tallies) {
  std::vector<typename Tallies::const_iterator> sorted;
  for (auto tally = tallies.begin(); tally != tallies.end(); ++tally) sorted.push_back(tally);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a->second.records != b->second.records ? a->second.records > b->second.records : a->first < b->first;
  });
  return sorted;
}

}  // namespace

void UnknownMemberCounts::count(const ports::ContentRecord& record) {
  count(ignored_members_, record.unknown.ignored,
        [&](const std::string& name) { return meant_by(name, kind_of(record)); });
  count(kept_, record.unknown.stored, clearly_meant_by);
}

template <class MeantBy> void UnknownMemberCounts::count(Tallies& tallies, model::TextList members, MeantBy meant_by) {
  for (const std::string_view member : members) {
    const std::string name = shown(member);
    const auto known = tallies.find(name);
    if (known != tallies.end())
      ++known->second.records;
    else if (tallies.size() < kMaxNames)
      tallies.emplace(name, Tally{1, meant_by(name)});
  }
}

std::vector<std::string> UnknownMemberCounts::lines() const {
  std::vector<std::string> lines;
  for (const auto& tally : most_frequent_first(ignored_members_)) {
    if (lines.size() == kMaxLines) {
      lines.emplace_back("ignored: other members too");
      break;
    }
    lines.push_back(line_of("ignored", tally->first, tally->second.records, tally->second.meant));
  }
  const std::size_t most = lines.size() + kMaxLines;
  for (const auto& tally : most_frequent_first(kept_)) {
    if (tally->second.meant.empty() || lines.size() == most) continue;
    lines.push_back(line_of("kept as metadata", tally->first, tally->second.records, tally->second.meant));
  }
  return lines;
}

std::vector<std::string> describe(const ports::SourceNotes& notes) {
  std::vector<std::string> lines;
  if (!notes.generator.empty()) lines.push_back("read as a site of " + notes.generator);
  std::string pages;
  for (const std::string& page : notes.left_out_pages) pages.append(pages.empty() ? "" : ", ").append(page);
  if (notes.left_out != 0)
    lines.push_back("left out: " + std::to_string(notes.left_out) +
                    (notes.left_out == 1 ? " page that is a draft" : " pages that are drafts") +
                    ", expired, hidden from the search, or empty: " + pages +
                    (notes.left_out > notes.left_out_pages.size() ? ", ..." : ""));
  std::vector<std::pair<std::uint64_t, std::string>> skipped;
  for (const auto& [ending, files] : notes.skipped) skipped.emplace_back(files, ending);
  std::stable_sort(skipped.begin(), skipped.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string line;
  for (const auto& [files, ending] : skipped)
    line.append(line.empty() ? "skipped: " : ", ").append(std::to_string(files)).append(" ").append(ending);
  if (!line.empty()) lines.push_back(line);
  lines.insert(lines.end(), notes.remarks.begin(), notes.remarks.end());
  for (const std::string& package : notes.packages)
    lines.push_back("install the package " + package + " to read more of them");
  return lines;
}

std::string duplicate_note(std::string_view id) {
  return "'" + std::string(id) + "' is a duplicate in this source; it replaces the earlier record";
}

std::string nothing_note(const ports::ContentSource& source) {
  return "no records found; expected " + std::string(source.expected_content());
}

}  // namespace kbase::runtime
