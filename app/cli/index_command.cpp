// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/cli/progress.hpp"
#include "app/cli/session.hpp"
#include "app/runtime/index_follower.hpp"

namespace kbase::cli {
namespace {

int show_status(Session& session, ports::SearchIndex& index) {
  ports::Call call;
  const auto state = index.state(call);
  if (!state) return fail(state.error());
  const auto revision = session.stores.items->revision(call);
  if (!revision) return fail(revision.error());
  const bool same_store = state->lineage == session.stores.items->lineage();
  const char* verdict = !state->complete ? "incomplete: it is built when kbase serves, or by `index rebuild`"
                        : !same_store    ? "of another store: it is rebuilt when kbase serves"
                        : state->revision < *revision ? "behind: it catches up when kbase serves"
                                                      : "up to date";
  std::printf("plugin     %s\ndocuments  %llu\nrevision   %llu of %llu\nstate      %s\n",
              std::string(index.fingerprint()).c_str(), static_cast<unsigned long long>(state->documents),
              static_cast<unsigned long long>(state->revision), static_cast<unsigned long long>(*revision), verdict);
  return kSuccess;
}

int rebuild(Session& session, ports::SearchIndex& index) {
  Progress progress("index");
  runtime::IndexFollower follower(*session.stores.items, index,
                                  [&](std::uint64_t records) { progress.show(std::nullopt, records); });
  ports::Call call;
  const auto rebuilt = follower.rebuild(call);
  progress.finish();
  return rebuilt ? show_status(session, index) : fail(rebuilt.error());
}

int verify(Session&, ports::SearchIndex& index) {
  ports::Call call;
  const auto verified = index.verify(call);
  if (!verified) return fail(verified.error());
  std::puts("the index is sound");
  return kSuccess;
}

void add_action(CLI::App& group, const char* name, const char* description, Action& chosen,
                int (*work)(Session&, ports::SearchIndex&)) {
  auto arguments = std::make_shared<ConfigArguments>();
  CLI::App* command = group.add_subcommand(name, description);
  add_config_options(*command, *arguments);
  command->callback([arguments, &chosen, work] {
    chosen = [arguments, work] {
      return with_stores(*arguments, [work](Session& session) {
        auto index = session.backends.open_index();
        return index ? work(session, **index) : fail(index.error());
      });
    };
  });
}

}  // namespace

void add_index(CLI::App& app, Action& chosen) {
  CLI::App* group = app.add_subcommand("index", "look at the search index, or build it anew");
  group->require_subcommand(1);
  add_action(*group, "status", "what the index holds, and whether it is up to date", chosen, show_status);
  add_action(*group, "rebuild", "build the index from the store; the old one answers meanwhile", chosen, rebuild);
  add_action(*group, "verify", "read the whole index and say whether it is sound", chosen, verify);
}

}  // namespace kbase::cli
