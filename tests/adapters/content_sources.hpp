// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "adapters/content/content_source.hpp"
#include "domain/model/day.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::content {

/// The result of reading a source. Each record is a line with all of its data.
struct Reading {
  std::vector<std::string> records;
  std::vector<std::string> texts;    ///< texts of the rejected records
  std::vector<std::string> unknown;  ///< unknown members, for each record that has some
  std::string error;                 ///< error of the source; empty: no error
  std::optional<double> progress;
  ports::SourceNotes notes;
};

inline std::string joined(model::TextList list) {
  std::string text;
  for (const std::string_view entry : list) text.append(text.empty() ? "" : "|").append(entry);
  return "[" + text + "]";
}

inline std::string day_text(const std::optional<model::Day>& day) { return day ? model::format_day(*day) : "-"; }

inline std::string described(const ports::ContentRecord& record) {
  const std::string place = std::to_string(record.position.line) + ": ";
  if (const auto* item = std::get_if<ports::ItemRecord>(&record.record))
    return place + "item id=" + std::string(item->id) + " title=" + std::string(item->title) +
           " category=" + std::string(item->category) + " content=" + std::string(item->content) +
           " tags=" + joined(item->tags) + " related=" + joined(item->related) +
           " author=" + std::string(item->metadata.author) + " created=" + day_text(item->created) +
           " updated=" + day_text(item->updated) + " views=" + std::to_string(item->metadata.views) +
           " further=" + std::string(item->metadata.extra);
  if (const auto* category = std::get_if<ports::CategoryRecord>(&record.record))
    return place + "category id=" + std::string(category->id) + " name=" + std::string(category->name) +
           " description=" + std::string(category->description) + " icon=" + std::string(category->icon) +
           " subcategories=" + joined(category->subcategories);
  if (const auto* deletion = std::get_if<ports::DeleteRecord>(&record.record))
    return place + "delete id=" + std::string(deletion->id);
  if (const auto* activity = std::get_if<ports::ActivityRecord>(&record.record)) {
    std::string days;
    for (const ports::DayViews& day : activity->days)
      days += " " + model::format_day(day.day) + "=" + std::to_string(day.views);
    return place + "activity item=" + std::string(activity->item) + days;
  }
  if (const auto* synonyms = std::get_if<model::SynonymsView>(&record.record))
    return place + "synonyms from=" + std::string(synonyms->from) + " words=" + joined(synonyms->words) +
           " source=" + std::string(synonyms->source);
  return place + "reject " + std::string(std::get<ports::Reject>(record.record).reason);
}

/// The day of the tests.
inline constexpr model::Day kToday{std::chrono::year(2026) / 3 / 14};

inline Reading read_source(const std::string& name, const SourceOptions& options = {},
                           const ports::Markup& markup = tests::kPlainMarkup) {
  Reading reading;
  const auto source = open_source(name, options, markup, kToday, {});
  if (!source) {
    reading.error = source.error().message;
    return reading;
  }
  ports::Call call;
  const auto read = (*source)->read(call, [&](const ports::ContentRecord& record) {
    reading.records.push_back(described(record));
    if (std::holds_alternative<ports::Reject>(record.record)) reading.texts.emplace_back(record.text);
    const auto& [ignored_members, kept] = record.unknown;
    if (!ignored_members.empty() || !kept.empty())
      reading.unknown.push_back("ignored " + joined(ignored_members) + " kept " + joined(kept));
    return Visit::Continue;
  });
  if (!read) reading.error = read.error().message;
  reading.progress = (*source)->progress();
  reading.notes = (*source)->notes();
  return reading;
}

/// Fixture for tests that write files and read them as sources.
class ContentFiles : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name, std::ios::binary) << bytes;
    return path(name);
  }

  Reading read(const std::string& name, const std::string& bytes) const { return read_source(write(name, bytes)); }

  /// Removes the path of the temporary folder from `text`.
  std::string local(std::string text) const {
    const std::string folder = folder_.path().string() + "/";
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.erase(at, folder.size());
    return text;
  }

 private:
  tests::TemporaryFolder folder_;
};

}  // namespace kbase::content
