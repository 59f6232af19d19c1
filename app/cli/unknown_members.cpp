// SPDX-License-Identifier: Apache-2.0
#include "app/cli/unknown_members.hpp"

#include <algorithm>
#include <variant>

#include "adapters/content/front_matter.hpp"
#include "adapters/content/record_draft.hpp"
#include "app/config/formats.hpp"
#include "domain/model/utf8.hpp"

namespace kbase::cli {
namespace {

constexpr std::size_t kMostNames = 1000;  // maximum number of counted names: a source may use a new one in each record
constexpr std::size_t kMostLines = 5;
constexpr std::size_t kMostCodePoints = 60;

std::string shown(std::string_view name) {
  std::string text(model::utf8::prefix(name, kMostCodePoints));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

/// The kind of the record. Invalid records count as items, which most of them are meant to be.
content::RecordKind kind_of(const ports::ContentRecord& record) {
  if (std::holds_alternative<ports::CategoryRecord>(record.record)) return content::RecordKind::Category;
  if (std::holds_alternative<ports::DeleteRecord>(record.record)) return content::RecordKind::Delete;
  if (std::holds_alternative<ports::ActivityRecord>(record.record)) return content::RecordKind::Activity;
  return content::RecordKind::Item;
}

/// Returns the known member with a similar name; empty: there is none.
std::string meant_by(const std::string& name, content::RecordKind kind) {
  const std::string meant = config::nearest(name, content::member_names(kind));
  if (content::metadata_member(meant)) return "metadata." + meant;
  return meant == name ? std::string() : meant;  // the record has no known kind, or a different one
}

/// Returns the known member within one edit. For members stored as metadata, whose names may be intentional.
std::string clearly_meant_by(const std::string& name) {
  const std::string meant = config::nearest(name, content::front_matter_names());
  return config::edit_distance(name, meant) == 1 ? meant : std::string();
}

std::string line_of(std::string_view what_became, const std::string& name, std::uint64_t records,
                    const std::string& meant) {
  std::string line = std::string(what_became) + ": '" + name + "' in " + std::to_string(records) +
                     (records == 1 ? " record" : " records");
  return meant.empty() ? line : line + "; did you mean '" + meant + "'?";
}

template <class Tallies>
auto most_frequent_first(const Tallies& tallies) {
  std::vector<typename Tallies::const_iterator> sorted;
  for (auto tally = tallies.begin(); tally != tallies.end(); ++tally) sorted.push_back(tally);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a->second.records != b->second.records ? a->second.records > b->second.records : a->first < b->first;
  });
  return sorted;
}

}  // namespace

void UnknownMembers::count(const ports::ContentRecord& record) {
  count(passed_over_, record.unknown.passed_over,
        [&](const std::string& name) { return meant_by(name, kind_of(record)); });
  count(kept_, record.unknown.kept, clearly_meant_by);
}

template <class MeantBy>
void UnknownMembers::count(Tallies& tallies, model::TextList members, MeantBy meant_by) {
  for (const std::string_view member : members) {
    const std::string name = shown(member);
    const auto known = tallies.find(name);
    if (known != tallies.end())
      ++known->second.records;
    else if (tallies.size() < kMostNames)
      tallies.emplace(name, Tally{1, meant_by(name)});
  }
}

std::vector<std::string> UnknownMembers::lines() const {
  std::vector<std::string> lines;
  for (const auto& tally : most_frequent_first(passed_over_)) {
    if (lines.size() == kMostLines) {
      lines.emplace_back("passed over: other members too");
      break;
    }
    lines.push_back(line_of("passed over", tally->first, tally->second.records, tally->second.meant));
  }
  const std::size_t most = lines.size() + kMostLines;
  for (const auto& tally : most_frequent_first(kept_)) {
    if (tally->second.meant.empty() || lines.size() == most) continue;
    lines.push_back(line_of("kept as metadata", tally->first, tally->second.records, tally->second.meant));
  }
  return lines;
}

}  // namespace kbase::cli
