// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "adapters/content/json_lines_sink.hpp"
#include "app/cli/session.hpp"
#include "app/runtime/index_follower.hpp"
#include "domain/usecases/transfer_content.hpp"

namespace kbase::cli {
namespace {

struct ExportArguments {
  ConfigArguments config;
  std::string output;
};

int run_export(const ExportArguments& arguments, Session& session) {
  auto sink = content::JsonLinesSink::open(arguments.output);
  if (!sink) return fail(sink.error());
  usecases::TransferContent transfer(*session.stores.items, *session.stores.activity, session.platform.clock);
  ports::Call call;
  const auto exported = transfer.export_to(call, **sink);
  return exported ? kSuccess : fail(exported.error());
}

struct DeleteArguments {
  ConfigArguments config;
  std::vector<std::string> ids;
};

int run_delete(const DeleteArguments& arguments, Session& session) {
  usecases::TransferContent transfer(*session.stores.items, *session.stores.activity, session.platform.clock);
  ports::Call call;
  bool missed = false;
  const std::vector<std::string_view> ids(arguments.ids.begin(), arguments.ids.end());
  const auto removed = transfer.remove(call, ids, [&](std::string_view id) {
    std::fprintf(stderr, "kbase: no item has the id %.*s\n", static_cast<int>(id.size()), id.data());
    missed = true;
    return model::Visit::Continue;
  });
  if (!removed) return fail(removed.error());
  std::printf("removed %llu\n", static_cast<unsigned long long>(*removed));
  auto index = session.backends.open_index(session.stores);
  if (!index) return fail(index.error());
  const auto followed =
      runtime::IndexFollower(*session.stores.items, *index->port, {}, index->lease.get()).follow(call);
  if (!followed && followed.error().code != model::ErrorCode::Conflict) return fail(followed.error());
  return missed ? kFailure : kSuccess;
}

}  // namespace

void add_export(Command root) {
  const auto arguments = std::make_shared<ExportArguments>();
  Command command = root.command("export", "write everything as JSON Lines that import reads back");
  command.option("--output", arguments->output, "the file to write (.gz: compressed); default: standard output",
                 "FILE");
  add_config_options(command, arguments->config);
  command.does([arguments] {
    return with_stores(arguments->config, [&](Session& session) { return run_export(*arguments, session); });
  });
}

void add_delete(Command root) {
  const auto arguments = std::make_shared<DeleteArguments>();
  Command command = root.command("delete", "remove items by id");
  command.option("ID", arguments->ids, "ids of items").required();
  add_config_options(command, arguments->config);
  command.does([arguments] {
    return with_stores(arguments->config, [&](Session& session) { return run_delete(*arguments, session); });
  });
}

}  // namespace kbase::cli
