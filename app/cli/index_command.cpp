// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "app/cli/interruption.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/session.hpp"
#include "app/runtime/index_follower.hpp"

namespace kbase::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kTimeout{5};

std::string verdict_on(ports::Call& call, Session& session, ports::SearchIndex& index, const ports::IndexState& state,
                       model::Revision revision) {
  if (const auto health = index.health(call); !health)
    return "no whole index: it is built when kbase serves, or by `index rebuild`\ncause      " + health.error().detail;
  if (!state.complete) return "of other settings: it is rebuilt when kbase serves, and answers until then";
  if (state.store_id != session.stores.items->store_id()) return "of another store: it is rebuilt when kbase serves";
  if (state.revision > revision) return "ahead of the store: it is rebuilt when kbase serves";
  if (state.revision == revision) return "up to date";
  return std::to_string(revision - state.revision) + " changes behind: it catches up when kbase serves";
}

int show_status(Session& session, composition::FedIndex& fed) {
  ports::SearchIndex& index = *fed.port;
  ports::Call call;
  const auto state = index.state(call);
  if (!state) return fail(state.error());
  const auto revision = session.stores.items->revision(call);
  if (!revision) return fail(revision.error());
  const std::string verdict = verdict_on(call, session, index, *state, *revision);
  std::printf("plugin     %s\ndocuments  %llu\nrevision   %llu of %llu\nstate      %s\n",
              std::string(index.fingerprint()).c_str(), static_cast<unsigned long long>(state->documents),
              static_cast<unsigned long long>(state->revision), static_cast<unsigned long long>(*revision),
              verdict.c_str());
  return kSuccess;
}

/// Retries on Conflict: a running server holds the index's writer only for moments.
model::Status rebuild_patiently(ports::Call& call, runtime::IndexFollower& follower) {
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  for (;;) {
    auto rebuilt = follower.rebuild(call);
    const bool is_busy = !rebuilt && rebuilt.error().code == model::ErrorCode::Conflict;
    if (!is_busy || std::chrono::steady_clock::now() >= until) return rebuilt;
    std::this_thread::sleep_for(kRedraw);
  }
}

int rebuild(Session& session, composition::FedIndex& index) {
  ports::Call call;
  call.cancel = &watch_for_interruption();
  const auto totals = session.stores.items->totals(call, model::day_of(session.platform.clock.now()));
  if (!totals) return fail(totals.error());
  const double all = static_cast<double>(totals->items + totals->categories);
  Progress progress("index");
  runtime::IndexFollower follower(
      *session.stores.items, *index.port,
      {[&](std::uint64_t records) { progress.show(static_cast<double>(records) / all, records); }, /*on_rebuild=*/{}},
      index.lease.get());
  const auto rebuilt = rebuild_patiently(call, follower);
  progress.finish();
  return rebuilt ? show_status(session, index) : fail(rebuilt.error());
}

int verify(Session&, composition::FedIndex& index) {
  Progress progress("verify");
  auto work = std::async(std::launch::async, [&] {
    ports::Call call;
    return index.port->verify(call);
  });
  while (work.wait_for(kRedraw) == std::future_status::timeout) progress.show_time();
  const auto verified = work.get();
  progress.finish();
  if (!verified) return fail(verified.error());
  std::puts("the index is sound");
  return kSuccess;
}

void add_action(Command group, const char* name, const char* description,
                int (*work)(Session&, composition::FedIndex&)) {
  const auto arguments = std::make_shared<ConfigArguments>();
  Command command = group.command(name, description);
  add_config_options(command, *arguments);
  command.does([arguments, work] {
    return with_stores(*arguments, [work](Session& session) {
      auto index = session.backends.open_index(session.stores);
      return index ? work(session, *index) : fail(index.error());
    });
  });
}

}  // namespace

void add_index(Command root) {
  const Command group = root.group("index", "look at the search index, or build it anew");
  add_action(group, "status", "what the index holds, and whether it is up to date", show_status);
  add_action(group, "rebuild", "build the index from the store; the old one answers meanwhile", rebuild);
  add_action(group, "verify", "read the whole index and say whether it is sound", verify);
}

}  // namespace kbase::cli
