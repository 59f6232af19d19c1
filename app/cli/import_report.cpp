// SPDX-License-Identifier: Apache-2.0
#include "app/cli/import_report.hpp"

#include <cerrno>
#include <cstring>

namespace kbase::cli {
namespace {

/// Maximum number of printed duplicates. More are only counted: a feed may contain duplicates intentionally.
constexpr std::uint64_t kMostDuplicateLines = 20;

void say(const ports::Place& place, std::string_view text) {
  if (place.line != 0)
    std::fprintf(stderr, "%.*s:%llu: %.*s\n", static_cast<int>(place.file.size()), place.file.data(),
                 static_cast<unsigned long long>(place.line), static_cast<int>(text.size()), text.data());
  else
    std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(place.file.size()), place.file.data(),
                 static_cast<int>(text.size()), text.data());
}

}  // namespace

model::Result<std::unique_ptr<ImportLog>> ImportLog::open(const std::string& rejects_path) {
  auto log = std::make_unique<ImportLog>();
  if (rejects_path.empty()) return log;
  log->rejects_path_ = rejects_path;
  log->rejects_.reset(std::fopen(rejects_path.c_str(), "wbe"));
  if (!log->rejects_)
    return model::invalid_argument("rejects", "cannot write " + rejects_path + ": " + std::strerror(errno));
  return log;
}

void ImportLog::on_progress(const ports::ContentSource& source, std::uint64_t records) {
  progress_.show(source.progress(), records);
}

void ImportLog::on_reject(const ports::Place& place, const ports::Reject& reject) {
  progress_.finish();
  say(place, reject.reason);
  if (!rejects_ || reject.text.empty()) return;
  std::fwrite(reject.text.data(), 1, reject.text.size(), rejects_.get());
  std::fputc('\n', rejects_.get());
}

void ImportLog::on_duplicate(const ports::Place& place, std::string_view id) {
  if (++duplicates_ > kMostDuplicateLines) return;
  progress_.finish();
  say(place, "the item '" + std::string(id) + "' came before in this source; this one replaces it");
}

void ImportLog::on_nothing(const ports::ContentSource& source) {
  progress_.finish();
  const std::string name(source.name());
  say({name, 0}, "nothing to import was found here; it is read for " + std::string(source.wanted()));
}

/// A committed batch is not imported again, so its rejected lines must not be lost in a buffer.
void ImportLog::on_batch(const ports::ImportReport&) {
  if (rejects_) std::fflush(rejects_.get());
}

model::Status ImportLog::finish() {
  progress_.finish();
  if (duplicates_ > kMostDuplicateLines)
    std::fprintf(stderr, "%llu further duplicate ids were not listed\n",
                 static_cast<unsigned long long>(duplicates_ - kMostDuplicateLines));
  for (const std::string& line : unknown_.lines()) std::fprintf(stderr, "%s\n", line.c_str());
  if (!rejects_) return {};
  const bool failed = std::ferror(rejects_.get()) != 0 || std::fflush(rejects_.get()) != 0;
  if (!failed) return {};
  return model::Error{
      model::ErrorCode::Unavailable, "cannot write " + rejects_path_ + ": " + std::strerror(errno), {}, {}, {}};
}

std::string summary_of(const ports::ImportReport& report) {
  const auto part = [](std::string_view name, std::uint64_t count) {
    return std::string(name) + ' ' + std::to_string(count);
  };
  return part("added", report.added) + part(", changed", report.changed) + part(", unchanged", report.unchanged) +
         part(", removed", report.removed) + part(", rejected", report.rejected);
}

}  // namespace kbase::cli
