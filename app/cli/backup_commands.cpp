// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "adapters/content/content_source.hpp"
#include "app/cli/session.hpp"
#include "app/config/version.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/transfer_base.hpp"

namespace kbase::cli {
namespace {

struct BackupArguments {
  ConfigArguments config;
  std::string file;
  std::string from_instance;
  bool allows_empty = false;
};

/// Prints the progress and messages of a backup or a restore to standard error. Single-threaded.
class BackupLog final : public ports::BackupObserver {
 public:
  void on_progress(Step step, std::optional<double> fraction, std::uint64_t records) override {
    if (!progress_ || step != step_) progress_ = std::make_unique<Progress>(title_of(step));
    step_ = step;
    progress_->show(fraction, records);
  }

  void on_omission(std::string_view what) override {
    finish();
    std::fprintf(stderr, "kbase: %.*s\n", static_cast<int>(what.size()), what.data());
  }

  /// Erases the progress bar, so that other lines can be printed.
  void finish() { progress_.reset(); }

 private:
  static std::string_view title_of(Step step) {
    return step == Step::Writing ? "backup" : step == Step::Checking ? "check" : "restore";
  }

  std::unique_ptr<Progress> progress_;
  Step step_ = Step::Writing;
};

usecases::KnowledgeBase base_of(Session& session) {
  return {*session.stores.items,   *session.stores.activity, *session.stores.keys,
          session.platform.markup, session.platform.clock,   session.settings.instance};
}

/// Returns for example "250000 items, 40 categories, 3 keys and the views of 1200 items".
std::string summary_of(const ports::BackupCounts& counts) {
  return std::to_string(counts.items) + " items, " + std::to_string(counts.categories) + " categories, " +
         std::to_string(counts.keys) + " keys and the views of " + std::to_string(counts.viewed) + " items";
}

Status check_storage(const Session& session) {
  const config::Backend& storage = session.settings.storage;
  const auto plugin = KBASE_TRY(composition::load_plugin_config(
      {"storage", storage.plugin, storage.sha256, session.settings.plugin_directories}));
  if (!plugin.is_ephemeral) return {};
  return invalid_argument({},
                          "storage '" + storage.plugin +
                              "' is not persistent, so there is nothing to back up or restore. Keep the sources that "
                              "storage.config.load lists instead");
}

/// Whether the base has neither items nor keys.
Result<bool> is_empty(ports::Call& call, Session& session) {
  const auto totals = KBASE_TRY(session.stores.items->totals(call, model::day_of(session.platform.clock.now())));
  bool has_key = false;
  KBASE_TRY(session.stores.keys->list(call, [&has_key](const model::ApiKey&) {
    has_key = true;
    return Visit::Stop;
  }));
  return totals.items == 0 && !has_key;
}

int run_backup(const BackupArguments& arguments, Session& session) {
  if (auto checked = check_storage(session); !checked) return fail(checked.error());
  ports::Call call;
  call.cancel = &watch_for_interruption();
  if (!arguments.allows_empty) {
    const auto empty = is_empty(call, session);
    if (!empty) return fail(empty.error());
    if (*empty)
      return fail({ErrorCode::NotFound,
                   "the knowledge base has no item and no key, so there is nothing to back up; check data_dir and "
                   "storage in the configuration, or add --allow-empty"});
  }
  std::signal(SIGXFSZ, SIG_IGN);  // report the file size limit as a write error instead of being killed
  auto sink = content::open_backup_sink(arguments.file, std::string(config::kVersion));
  if (!sink) return fail(sink.error());
  BackupLog log;
  const auto summary = usecases::TransferBase(base_of(session)).back_up(call, **sink, log);
  log.finish();
  if (!summary) return fail(summary.error());
  // The backup itself may go to standard output.
  std::fprintf(arguments.file == "-" ? stderr : stdout, "backed up %s, at revision %llu\n",
               summary_of(summary->counts).c_str(), static_cast<unsigned long long>(summary->revision));
  return kSuccess;
}

/// Opens the stores of the session and returns its base.
Result<usecases::KnowledgeBase> open_base(Session& session) {
  KBASE_TRY(open_stores(session));
  return base_of(session);
}

int run_restore(const BackupArguments& arguments, Session& session) {
  if (auto checked = check_storage(session); !checked) return fail(checked.error());
  auto source = content::open_backup_source(arguments.file);
  if (!source) return fail(source.error());
  ports::Call call;
  call.cancel = &watch_for_interruption();
  BackupLog log;
  usecases::TransferBase transfer(session.settings.instance, [&session] { return open_base(session); });
  const auto summary = transfer.restore(call, **source, arguments.from_instance, log);
  log.finish();
  if (!summary)
    return fail(with_hint(summary.error(), "instance",
                          "use the configuration of that instance, or accept its backup with --from-instance NAME"));
  std::printf("restored %s, as of %s\n", summary_of(summary->counts).c_str(),
              model::format_instant(summary->head.started).c_str());
  std::fflush(stdout);
  return feed_index(session, session.platform.markup);
}

/// Either with_session or with_existing_stores.
using SessionRunner = int (*)(const ConfigArguments&, const std::function<int(Session&)>&);

Command add_command(Command root, const char* name, const char* description, const char* file,
                    const std::shared_ptr<BackupArguments>& arguments, SessionRunner run_session,
                    int (*work)(const BackupArguments&, Session&)) {
  Command command = root.command(name, description);
  command.option("FILE", arguments->file, file).required();
  add_config_options(command, arguments->config);
  command.set_action([arguments, run_session, work] {
    return run_session(arguments->config, [&](Session& session) { return work(*arguments, session); });
  });
  return command;
}

}  // namespace

void add_backup(Command root) {
  const auto arguments = std::make_shared<BackupArguments>();
  add_command(root, "backup", "write items, keys and counted views to one file; servers and imports can keep running",
              "the file to write, replaced atomically; - for standard output", arguments, with_existing_stores,
              run_backup)
      .flag("--allow-empty", arguments->allows_empty, "also back up a base without items and keys");
}

void add_restore(Command root) {
  const auto arguments = std::make_shared<BackupArguments>();
  add_command(root, "restore", "restore a backup into an empty base", "a file written by `kbase backup`", arguments,
              with_session, run_restore)
      .option("--from-instance", arguments->from_instance, "also accept a backup of the instance NAME", "NAME");
}

}  // namespace kbase::cli
