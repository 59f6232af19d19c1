// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "adapters/content/content_source.hpp"
#include "adapters/content/member_map.hpp"
#include "app/cli/session.hpp"
#include "app/composition/content_sources.hpp"
#include "app/runtime/data_folder.hpp"
#include "app/runtime/index_follower.hpp"
#include "app/runtime/kept_documents.hpp"
#include "app/runtime/read_ahead_source.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/page_ids.hpp"
#include "domain/usecases/transfer_content.hpp"

namespace kbase::cli {
namespace {

constexpr unsigned kMostPages = 1'000'000;

struct ImportArguments {
  ConfigArguments config;
  std::vector<std::string> sources;
  std::string rejects;
  ports::ImportOptions options;
  content::SourceOptions reading;
  web::CrawlOptions crawl;
  ports::PageIdChoice ids = ports::PageIdChoice::AsBefore;
};

struct OpenSource {
  std::unique_ptr<ports::ContentSource> source, ahead;
};
using Sources = std::vector<OpenSource>;

Result<Sources> open_sources(const ImportArguments& arguments, Session& session, runtime::PreparedMarkup& markup,
                             ports::Call& call) {
  Sources sources;
  for (const std::string& name : arguments.sources) {
    auto source = KBASE_TRY(composition::open_source(name, arguments.reading, arguments.crawl, session.settings,
                                                     session.platform, session.backends, call));
    const std::string owner(arguments.options.source.empty() ? source->owner() : arguments.options.source);
    KBASE_TRY(usecases::choose_page_ids(call, *session.stores.items, *source, owner, arguments.ids));
    sources.push_back({std::move(source), nullptr});
    sources.back().ahead = std::make_unique<runtime::ReadAheadSource>(*sources.back().source, markup);
  }
  return sources;
}

/// Prints the notes of each source, after its name if there are several.
void print_notes(const Sources& sources) {
  for (const OpenSource& open : sources)
    for (const std::string& line : runtime::describe(open.source->notes()))
      if (sources.size() > 1)
        std::printf("%s: %s\n", std::string(open.source->name()).c_str(), line.c_str());
      else
        std::printf("%s\n", line.c_str());
}

int run_import(const ImportArguments& arguments, Session& session) {
  if (!session.stores.items->capabilities().persistent)
    return fail(invalid_argument({}, "storage '" + session.settings.storage.plugin +
                                         "' is not persistent; list the sources under storage.config.load instead"));
  ports::Call call;
  call.cancel = &watch_for_interruption();
  const bool dry = arguments.options.dry_run;
  std::optional<runtime::KeptDocuments> kept;  // for the index that follows, if a server does not feed it
  if (!dry && !runtime::ServeLock::is_locked(session.settings.data_dir))
    kept.emplace(session.platform.markup, session.platform.random, session.settings.data_dir);
  const ports::Markup& documents = kept ? static_cast<const ports::Markup&>(*kept) : session.platform.markup;
  runtime::PreparedMarkup markup(documents);
  auto sources = open_sources(arguments, session, markup, call);
  if (!sources) return fail(sources.error());
  auto log = ImportLog::open(arguments.rejects);
  if (!log) return fail(log.error());

  std::vector<ports::ContentSource*> views;
  for (const OpenSource& open : *sources) views.push_back(open.ahead.get());
  ports::ImportReport report;
  usecases::TransferContent transfer(*session.stores.items, *session.stores.activity, markup, session.platform.clock);
  ports::ImportOptions options = arguments.options;
  options.base_url = session.settings.content.base_url;
  const auto imported = transfer.import(call, views, options, **log, report);
  const auto finished = (*log)->finish();

  if (imported || report.revision != 0) {
    std::printf("%s%s\n", dry ? "would have " : "", summary_of(report).c_str());
    print_notes(*sources);
  }
  if (imported && report.missing != 0)
    std::printf("%llu %s; --prune removes %s\n", static_cast<unsigned long long>(report.missing),
                report.missing == 1 ? "item is no longer in the source" : "items are no longer in the source",
                report.missing == 1 ? "it" : "them");
  std::fflush(stdout);
  const int fed = dry ? kSuccess : feed_index(session, documents);
  if (!imported) return fail(with_hint(imported.error(), "prune_limit", "allow more with --prune-limit PERCENT"));
  if (!finished) return fail(finished.error());
  if (fed != kSuccess) return fed;
  if (arguments.options.prune && (report.rejected != 0 || report.is_incomplete))
    std::fprintf(stderr, "kbase: nothing was pruned, because %s\n",
                 report.rejected != 0 ? "records were rejected" : "a source has pages that were not read");
  return report.rejected == 0 && !(*log)->found_nothing() ? kSuccess : kFailure;
}

}  // namespace

void add_import(Command root) {
  const auto arguments = std::make_shared<ImportArguments>();
  ports::ImportOptions& options = arguments->options;
  Command command = root.command("import", "import items and categories into the store");
  command
      .option("SOURCE", arguments->sources,
              "a folder of pages, an archive of one, a page, JSON Lines (.jsonl, .ndjson, - for standard input), JSON "
              "(.json), or a table (.csv, .tsv); .gz of each; or the http(s) address of a page or a sitemap")
      .required();
  command.option("--source", options.source, "name that owns the items; default: that of the folder or file", "NAME");
  command.flag("--take-over", options.take_over, "also replace items that belong to another source");
  command.option("--prefix", arguments->reading.prefix, "put NAME/ before the ids and categories of pages", "NAME");
  const auto choose_ids = [arguments](const std::string& word) {
    arguments->ids = word == "name" ? ports::PageIdChoice::ByName : ports::PageIdChoice::ByPath;
  };
  command.choice("--ids", {"path", "name"}, choose_ids,
                 "what is the id of a page: its path (default), or the name of its file");
  command.option("--include", arguments->reading.include, "read only the files that match; may be repeated", "GLOB")
      .one_at_a_time();
  command
      .option("--exclude", arguments->reading.exclude, "leave out files and folders that match; may be repeated",
              "GLOB")
      .one_at_a_time();
  command
      .option("--map", arguments->reading.map,
              "take a member of JSON, CSV or TSV from another name, or set it: title=question,category='faq'", "RULES")
      .one_at_a_time();
  command.option("--limit-to", arguments->crawl.limit_to,
                 "of a sitemap: only pages below this address; default: the folder of the sitemap", "ADDRESS");
  command.option("--max-pages", arguments->crawl.max_pages, "of a sitemap: maximum number of pages to read", "NUMBER")
      .between(1, kMostPages)
      .with_default();
  command
      .option("--rate", arguments->crawl.requests_per_second,
              "of a web site: maximum number of requests in a second; 0: no limit", "NUMBER")
      .with_default();
  command.flag("--drafts", arguments->reading.keeps_drafts, "also import drafts");
  command.flag("--prune", options.prune, "remove items that the source brought before and no longer contains");
  command.percentage("--prune-limit", options.prune_limit_percent,
                     "maximum share of the items that --prune may remove, in percent");
  command.flag("--dry-run", options.dry_run, "only report what an import would change");
  const auto choose = [&options](const std::string& word) {
    options.on_error = word == "skip" ? ports::OnError::Skip : ports::OnError::Stop;
  };
  command.choice("--on-error", {"stop", "skip"}, choose,
                 "what to do about an invalid record: stop (default) or skip it");
  command.option("--rejects", arguments->rejects, "write invalid lines to this file; for --on-error skip", "FILE");
  add_config_options(command, arguments->config);
  command.set_action([arguments] {
    if (!(arguments->crawl.requests_per_second >= 0))
      return fail_usage(invalid_argument({}, "--rate: expected a number of requests, or 0 for no limit"));
    if (const auto map = content::MemberMap::parse(arguments->reading.map); !map)
      return fail_usage(invalid_argument({}, "--map: " + map.error().message));
    return with_stores(arguments->config, [&](Session& session) { return run_import(*arguments, session); });
  });
}

namespace {

struct ExportArguments {
  ConfigArguments config;
  std::string output;
};

int run_export(const ExportArguments& arguments, Session& session) {
  auto sink = content::open_sink(arguments.output);
  if (!sink) return fail(sink.error());
  usecases::TransferContent transfer(*session.stores.items, *session.stores.activity, session.platform.markup,
                                     session.platform.clock);
  ports::Call call;
  const auto exported = transfer.export_to(call, **sink);
  return exported ? kSuccess : fail(exported.error());
}

struct DeleteArguments {
  ConfigArguments config;
  std::vector<std::string> ids;
};

int run_delete(const DeleteArguments& arguments, Session& session) {
  usecases::TransferContent transfer(*session.stores.items, *session.stores.activity, session.platform.markup,
                                     session.platform.clock);
  ports::Call call;
  bool missed = false;
  const std::vector<std::string_view> ids(arguments.ids.begin(), arguments.ids.end());
  const auto removed = transfer.remove(call, ids, [&](std::string_view id) {
    std::fprintf(stderr, "kbase: no item has the id %.*s\n", static_cast<int>(id.size()), id.data());
    missed = true;
    return Visit::Continue;
  });
  if (!removed) return fail(removed.error());
  std::printf("removed %llu\n", static_cast<unsigned long long>(*removed));
  auto index = session.backends.open_index(session.stores);
  if (!index) return fail(index.error());
  const auto followed =
      runtime::IndexFollower(*session.stores.items, *index->port, session.platform.markup, {}, index->lease.get())
          .follow(call);
  if (!followed && followed.error().code != ErrorCode::Conflict) return fail(followed.error());
  return missed ? kFailure : kSuccess;
}

}  // namespace

void add_export(Command root) {
  const auto arguments = std::make_shared<ExportArguments>();
  Command command = root.command("export", "write all content as JSON Lines, for `kbase import`");
  command.option("--output", arguments->output, "the file to write (.gz: compressed); default: standard output",
                 "FILE");
  add_config_options(command, arguments->config);
  command.set_action([arguments] {
    return with_existing_stores(arguments->config, [&](Session& session) { return run_export(*arguments, session); });
  });
}

void add_delete(Command root) {
  const auto arguments = std::make_shared<DeleteArguments>();
  Command command = root.command("delete", "remove items by id");
  command.option("ID", arguments->ids, "ids of the items to remove").required();
  add_config_options(command, arguments->config);
  command.set_action([arguments] {
    return with_existing_stores(arguments->config, [&](Session& session) { return run_delete(*arguments, session); });
  });
}

}  // namespace kbase::cli
