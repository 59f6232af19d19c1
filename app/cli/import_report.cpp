// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <variant>

#include "adapters/content/page_members.hpp"
#include "adapters/content/record_draft.hpp"
#include "domain/base/similar_words.hpp"
#include "domain/base/text.hpp"

namespace kbase::cli {
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

/// Maximum number of printed reports of one kind. More are only counted.
constexpr std::uint64_t kMaxReports = 20;

/// Returns the reason without what differs between records: quoted texts, numbers, and the names of files.
std::string report_kind(std::string_view reason) {
  std::string kind;
  char quote = 0;
  for (const char c : reason.substr(0, 300)) {
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if ((c == '"' || c == '\'' || c == '`') && (kind.empty() || kind.back() == ' ')) {
      quote = c;
      kind += "...";
    } else if (ascii::is_digit(c)) {
      if (kind.empty() || kind.back() != '0') kind += '0';
    } else {
      kind += c;
    }
  }
  const std::size_t file = kind.find(" as ");
  if (kind.starts_with("has the same id") && file != std::string::npos) kind.resize(file);
  return kind;
}

void print_at(const ports::SourcePosition& position, std::string_view text) {
  if (position.line != 0)
    std::fprintf(stderr, "%.*s:%llu: %.*s\n", static_cast<int>(position.file.size()), position.file.data(),
                 static_cast<unsigned long long>(position.line), static_cast<int>(text.size()), text.data());
  else
    std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(position.file.size()), position.file.data(),
                 static_cast<int>(text.size()), text.data());
}

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{5};
constexpr int kBarWidth = 30;

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

Result<std::unique_ptr<ImportLog>> ImportLog::open(const std::string& rejects_path) {
  auto log = std::make_unique<ImportLog>();
  if (rejects_path.empty()) return log;
  log->rejects_path_ = rejects_path;
  log->rejects_.reset(std::fopen(rejects_path.c_str(), "wbe"));
  if (!log->rejects_) return invalid_argument("rejects", "cannot write " + rejects_path + ": " + std::strerror(errno));
  return log;
}

void ImportLog::on_progress(const ports::ContentSource& source, std::uint64_t records) {
  progress_.show(source.progress(), records);
}

void ImportLog::print(const ports::SourcePosition& position, std::string_view reason) {
  if (++reports_[report_kind(reason)] > kMaxReports) return;
  progress_.finish();
  print_at(position, reason);
}

/// A page is rejected as a whole, so its path stands for it.
void ImportLog::on_reject(const ports::SourcePosition& position, std::string_view reason, std::string_view text) {
  print(position, reason);
  if (!rejects_) return;
  if (text.empty()) text = position.file;
  std::fwrite(text.data(), 1, text.size(), rejects_.get());
  std::fputc('\n', rejects_.get());
}

void ImportLog::on_unknown(const ports::ContentRecord& record) {
  unknown_.count(record);
  for (const ports::IgnoredValue& value : record.ignored) print({record.position.file, value.line}, value.reason);
}

void ImportLog::on_duplicate(const ports::SourcePosition& position, std::string_view id) {
  print(position, "'" + std::string(id) + "' is a duplicate in this source; it replaces the earlier record");
}

void ImportLog::on_nothing(const ports::ContentSource& source) {
  progress_.finish();
  const std::string name(source.name());
  print_at({name, 0}, "no records found; expected " + std::string(source.expected_content()));
  found_nothing_ = true;
}

/// A committed batch is not imported again, so its rejected lines must not be lost in a buffer.
void ImportLog::on_batch(const ports::ImportReport&) {
  if (rejects_) std::fflush(rejects_.get());
}

Status ImportLog::finish() {
  progress_.finish();
  for (const auto& [kind, count] : reports_)
    if (count > kMaxReports)
      std::fprintf(stderr, "%llu more of this kind are not listed: %s\n",
                   static_cast<unsigned long long>(count - kMaxReports), kind.c_str());
  for (const std::string& line : unknown_.lines()) std::fprintf(stderr, "%s\n", line.c_str());
  if (!rejects_) return {};
  const bool failed = std::ferror(rejects_.get()) != 0 || std::fflush(rejects_.get()) != 0;
  if (!failed) return {};
  return Error{ErrorCode::Unavailable, "cannot write " + rejects_path_ + ": " + std::strerror(errno)};
}

std::string summary_of(const ports::ImportReport& report) {
  const auto part = [](std::string_view name, std::uint64_t count) {
    return std::string(name) + ' ' + std::to_string(count);
  };
  return part("added", report.added) + part(", changed", report.changed) + part(", unchanged", report.unchanged) +
         part(", removed", report.removed) + part(", rejected", report.rejected) +
         (report.synonyms == 0 ? std::string() : part(", synonyms", report.synonyms));
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

Progress::Progress(std::string_view title)
    : title_(title),
      on_terminal_(::isatty(STDERR_FILENO) != 0),
      begun_(std::chrono::steady_clock::now()),
      last_(begun_) {}

bool Progress::is_due() {
  const auto now = std::chrono::steady_clock::now();
  const bool is = now - last_ >= (on_terminal_ ? kRedraw : std::chrono::milliseconds(kPlainLine));
  if (is) last_ = now;
  return is;
}

void Progress::show_time() {
  if (!is_due()) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(last_ - begun_).count();
  std::fprintf(stderr, on_terminal_ ? "\r\033[K%s  %lld s" : "%s: %lld s\n", title_.c_str(),
               static_cast<long long>(seconds));
  drawn_ = on_terminal_;
}

void Progress::show(std::optional<double> fraction, std::uint64_t records) {
  if (!is_due()) return;
  const double part = std::clamp(fraction.value_or(0), 0.0, 1.0);
  const auto count = static_cast<unsigned long long>(records);
  if (!on_terminal_) {
    if (fraction)
      std::fprintf(stderr, "%s: %.0f %%, %llu records\n", title_.c_str(), part * 100, count);
    else
      std::fprintf(stderr, "%s: %llu records\n", title_.c_str(), count);
    return;
  }
  std::string bar(static_cast<std::size_t>(part * kBarWidth), '#');
  if (fraction)
    std::fprintf(stderr, "\r\033[K%s [%-*s] %3.0f %%  %llu records", title_.c_str(), kBarWidth, bar.c_str(), part * 100,
                 count);
  else
    std::fprintf(stderr, "\r\033[K%s  %llu records", title_.c_str(), count);
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace kbase::cli
