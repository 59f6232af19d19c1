// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"
#include "app/runtime/import_notes.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/markup.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::cli {

/// The context of a command that uses the stores without a server.
struct Session {
  const config::Settings settings;
  composition::Platform platform;
  composition::Backends backends;
  composition::Stores stores;

  explicit Session(config::Settings loaded)
      : settings(std::move(loaded)),
        platform(system::StderrLog::Format::Auto),
        backends(settings, platform, /*metrics=*/nullptr) {}
};

/// Creates the data directory and opens the stores.
Status open_stores(Session& session);

/// Loads the settings and runs `work` without opening the stores. Prints errors of the settings.
int with_session(const ConfigArguments& arguments, const std::function<int(Session&)>& work);

/// Loads the settings, opens the stores, which are created if they are missing, and runs `work`. Prints errors of both
/// steps.
int with_stores(const ConfigArguments& arguments, const std::function<int(Session&)>& work);

/// Like with_stores(), but fails if the stores are missing: a command that reads would otherwise answer from an empty
/// base that a mistyped path has made.
int with_existing_stores(const ConfigArguments& arguments, const std::function<int(Session&)>& work);

/// Returns the first path in the `config` of a section's back end (a member that the plugin's schema declares as path)
/// that does not exist. Empty: all exist, or the back end is on other machines.
std::filesystem::path missing_path(const config::Settings& settings, std::string_view section,
                                   const config::Backend& backend);

/// Updates the index from the store in this process, with documents of `markup`, unless a running server does. Prints
/// errors. Returns an ExitCode.
int feed_index(Session& session, const ports::Markup& markup);

/// Installs handlers for SIGINT and SIGTERM that set the returned flag. Long operations check it between two records
/// and then report what was stored. The flag lives as long as the process.
const std::atomic<bool>& watch_for_interruption();

/// An upstream service that a section of the configuration selects.
struct UpstreamService {
  std::string_view section;
  const std::string& config;  ///< configuration of its plugin as JSON text
};

/// Returns a hint that names the settings for the connection to the service.
std::string connection_hint(const UpstreamService& service);

/// Returns a remedy for the service's error that names the settings concerned. Empty: the error is sufficient.
std::string remedy_for(const Error& error, const UpstreamService& service);

/// Calls fail or fail_usage, depending on the error, and prints the remedy.
int fail_at_service(const Error& error, const UpstreamService& service);

/// Returns a line such as "added 40, changed 2, unchanged 0, removed 0, rejected 0".
std::string summary_of(const ports::ImportReport& report);

/// Displays the progress of a long operation on standard error: a bar on a terminal, else a line every five seconds.
/// Single-threaded.
class Progress {
 public:
  explicit Progress(std::string_view title);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` from 0 to 1; nullopt: the total is unknown.
  void show(std::optional<double> fraction, std::uint64_t records);

  /// Shows the elapsed time, for operations that do not report progress.
  void show_time();

  /// Erases the bar, so that other lines can be printed.
  void finish();

 private:
  bool is_due();

  const std::string title_;
  const bool on_terminal_;
  bool drawn_ = false;
  const std::chrono::steady_clock::time_point begun_;
  std::chrono::steady_clock::time_point last_;
};

/// Prints the messages of an import to standard error and writes the rejected lines to a file. Single-threaded.
class ImportLog final : public ports::ImportObserver {
 public:
  /// Opens the file for rejected lines unless `rejects_path` is empty. InvalidArgument: it cannot be written.
  static Result<std::unique_ptr<ImportLog>> open(const std::string& rejects_path);

  void on_progress(const ports::ContentSource& source, std::uint64_t records) override;
  void on_reject(const ports::SourcePosition& position, std::string_view reason, std::string_view text) override;
  void on_duplicate(const ports::SourcePosition& position, std::string_view id) override;
  void on_unknown(const ports::ContentRecord& record) override;
  void on_nothing(const ports::ContentSource& source) override;
  void on_batch(const ports::ImportReport& so_far) override;

  /// Whether a source had no record.
  bool found_nothing() const { return found_nothing_; }

  /// Prints the counted messages and flushes the rejected lines. Unavailable: not all of them could be written.
  Status finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void print(const ports::SourcePosition& position, std::string_view reason);

  std::unique_ptr<std::FILE, Close> rejects_;
  std::string rejects_path_;
  Progress progress_{"import"};
  std::map<std::string, std::uint64_t> reports_;  // number of reports, by kind
  bool found_nothing_ = false;
  runtime::UnknownMemberCounts unknown_;
};

}  // namespace kbase::cli
