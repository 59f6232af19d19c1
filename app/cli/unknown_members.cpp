// SPDX-License-Identifier: Apache-2.0
#include "app/cli/unknown_members.hpp"

#include <algorithm>
#include <utility>

#include "adapters/content/record_draft.hpp"
#include "app/config/formats.hpp"
#include "domain/model/utf8.hpp"

namespace kbase::cli {
namespace {

constexpr std::size_t kMostNames = 1000;  // that are counted: a source may invent a new one in each record
constexpr std::size_t kMostLines = 5;
constexpr std::size_t kMostCodePoints = 60;

std::string shown(std::string_view name) {
  std::string text(model::utf8::prefix(name, kMostCodePoints));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

/// What a member of a record was meant to be; empty: nobody knows.
std::string meant_by(const std::string& name) {
  const std::string meant = config::nearest(name, content::member_names());
  if (content::metadata_member(meant)) return "metadata." + meant;
  return meant == name ? std::string() : meant;
}

/// The same for a member that was kept as metadata, which may well be called so: within one edit.
std::string clearly_meant_by(const std::string& name) {
  const std::string meant = config::nearest(name, content::item_member_names());
  return config::edit_distance(name, meant) == 1 ? meant : std::string();
}

std::string line_of(std::string_view what_became, const std::string& name, std::uint64_t records,
                    const std::string& meant) {
  std::string line = std::string(what_became) + ": '" + name + "' in " + std::to_string(records) +
                     (records == 1 ? " record" : " records");
  return meant.empty() ? line : line + "; did you mean '" + meant + "'?";
}

using Counted = std::pair<std::string, std::uint64_t>;

template <class Records>
std::vector<Counted> most_frequent_first(const Records& records) {
  std::vector<Counted> sorted(records.begin(), records.end());
  std::sort(sorted.begin(), sorted.end(), [](const Counted& a, const Counted& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return sorted;
}

}  // namespace

void UnknownMembers::count(const ports::UnknownMembers& of_record) {
  count(passed_over_, of_record.passed_over);
  count(kept_, of_record.kept);
}

void UnknownMembers::count(Records& records, model::TextList members) {
  for (const std::string_view member : members) {
    std::string name = shown(member);
    const auto known = records.find(name);
    if (known != records.end())
      ++known->second;
    else if (records.size() < kMostNames)
      records.emplace(std::move(name), 1);
  }
}

std::vector<std::string> UnknownMembers::lines() const {
  std::vector<std::string> lines;
  for (const auto& [name, records] : most_frequent_first(passed_over_)) {
    if (lines.size() == kMostLines) {
      lines.emplace_back("passed over: other members too");
      break;
    }
    lines.push_back(line_of("passed over", name, records, meant_by(name)));
  }
  const std::size_t most = lines.size() + kMostLines;
  for (const auto& [name, records] : most_frequent_first(kept_)) {
    const std::string meant = clearly_meant_by(name);
    if (!meant.empty() && lines.size() < most) lines.push_back(line_of("kept as metadata", name, records, meant));
  }
  return lines;
}

}  // namespace kbase::cli
