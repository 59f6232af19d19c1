// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <variant>

#include "domain/base/text.hpp"
#include "domain/usecases/transfer_content.hpp"

namespace kbase::cli {
namespace {

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
  std::fprintf(stderr, "%s: %.*s\n", usecases::text_of(position).c_str(), static_cast<int>(text.size()), text.data());
}

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{5};
constexpr int kBarWidth = 30;

}  // namespace

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
  print(position, runtime::duplicate_note(id));
}

void ImportLog::on_nothing(const ports::ContentSource& source) {
  progress_.finish();
  const std::string name(source.name());
  print_at({name, 0}, runtime::nothing_note(source));
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
