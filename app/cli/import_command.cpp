// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "adapters/content/content_source.hpp"
#include "app/cli/feed_index.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/interruption.hpp"
#include "app/cli/session.hpp"
#include "app/runtime/read_ahead_source.hpp"
#include "domain/usecases/transfer_content.hpp"

namespace kbase::cli {
namespace {

struct ImportArguments {
  ConfigArguments config;
  std::vector<std::string> sources;
  std::string rejects;
  ports::ImportOptions options;
};

struct OpenSource {
  std::unique_ptr<ports::ContentSource> source, ahead;
};
using Sources = std::vector<OpenSource>;

model::Result<Sources> open_sources(const std::vector<std::string>& names) {
  Sources sources;
  for (const std::string& name : names) {
    auto source = content::open_source(name);
    if (!source) return source.error();
    sources.push_back({*std::move(source), nullptr});
    sources.back().ahead = std::make_unique<runtime::ReadAheadSource>(*sources.back().source);
  }
  return sources;
}

int run_import(const ImportArguments& arguments, Session& session) {
  if (!session.stores.items->capabilities().persistent)
    return fail(model::invalid_argument({}, "storage '" + session.settings.storage.plugin +
                                                "' keeps nothing; list the sources under storage.config.load instead"));
  auto sources = open_sources(arguments.sources);
  if (!sources) return fail(sources.error());
  auto log = ImportLog::open(arguments.rejects);
  if (!log) return fail(log.error());

  ports::Call call;
  call.cancel = &watch_for_interruption();
  std::vector<ports::ContentSource*> views;
  for (const OpenSource& open : *sources) views.push_back(open.ahead.get());
  ports::ImportReport report;
  usecases::TransferContent transfer(*session.stores.items, *session.stores.activity, session.platform.clock);
  const auto imported = transfer.import(call, views, arguments.options, **log, report);
  const auto finished = (*log)->finish();

  const bool dry = arguments.options.dry_run;
  if (imported || report.revision != 0) std::printf("%s%s\n", dry ? "would have " : "", summary_of(report).c_str());
  std::fflush(stdout);
  const int fed = dry ? kSuccess : feed_index(session);
  if (!imported) return fail(imported.error());
  if (!finished) return fail(finished.error());
  if (fed != kSuccess) return fed;
  if (report.rejected != 0 && arguments.options.prune)
    std::fputs("kbase: nothing was pruned, because records were rejected\n", stderr);
  return report.rejected == 0 ? kSuccess : kFailure;
}

}  // namespace

void add_import(Command root) {
  const auto arguments = std::make_shared<ImportArguments>();
  ports::ImportOptions& options = arguments->options;
  Command command = root.command("import", "bring items and categories into the store");
  command
      .option("SOURCE", arguments->sources,
              "JSON Lines (.jsonl, .ndjson, - for standard input), JSON (.json), or a folder of Markdown; .gz of each")
      .required();
  command.flag("--prune", options.prune, "remove what none of the sources has");
  command.percentage("--prune-limit", options.prune_limit_percent,
                     "the share of the items that --prune may remove, in percent");
  command.flag("--dry-run", options.dry_run, "only report what an import would change");
  const auto choose = [&options](const std::string& word) {
    options.on_error = word == "skip" ? ports::OnError::Skip : ports::OnError::Stop;
  };
  command.choice("--on-error", {"stop", "skip"}, choose, "what a bad record does: stop (default) or skip");
  command.option("--rejects", arguments->rejects, "the file that bad lines are written to, with --on-error skip",
                 "FILE");
  add_config_options(command, arguments->config);
  command.does([arguments] {
    return with_stores(arguments->config, [&](Session& session) { return run_import(*arguments, session); });
  });
}

}  // namespace kbase::cli
