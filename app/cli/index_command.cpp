// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "app/cli/session.hpp"
#include "app/runtime/index_follower.hpp"
#include "domain/usecases/item_document.hpp"

namespace kbase::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kTimeout{5};

std::string verdict_on(ports::Call& call, Session& session, ports::SearchIndex& index, const ports::IndexState& state,
                       model::Revision revision) {
  if (const auto health = index.health(call); !health)
    return "no complete index: start the server or run `kbase index rebuild` to build it\ncause      " +
           health.error().detail;
  if (!state.complete) return "built with other settings: the server rebuilds it at startup and uses it until then";
  if (state.store_id != usecases::indexed_store_id(session.stores.items->store_id()))
    return "built from another store or by another version of kbase: the server rebuilds it at startup";
  if (state.revision > revision) return "ahead of the store: the server rebuilds it at startup";
  if (state.revision == revision) return "up to date";
  return std::to_string(revision - state.revision) + " changes behind: the server updates it at startup";
}

int show_status(Session& session, composition::WritableIndex& fed) {
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
Status rebuild_with_retry(ports::Call& call, runtime::IndexFollower& follower) {
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  for (;;) {
    auto rebuilt = follower.rebuild(call);
    const bool is_busy = !rebuilt && rebuilt.error().code == ErrorCode::Conflict;
    if (!is_busy || std::chrono::steady_clock::now() >= until) return rebuilt;
    std::this_thread::sleep_for(kRedraw);
  }
}

int rebuild(Session& session, composition::WritableIndex& index) {
  ports::Call call;
  call.cancel = &watch_for_interruption();
  const auto totals = session.stores.items->totals(call, model::day_of(session.platform.clock.now()));
  if (!totals) return fail(totals.error());
  const double all = static_cast<double>(totals->items + totals->categories);
  Progress progress("index");
  runtime::IndexFollower follower(
      *session.stores.items, *index.port, session.platform.markup,
      {[&](std::uint64_t records) { progress.show(static_cast<double>(records) / all, records); }, /*on_rebuild=*/{}},
      index.lease.get());
  const auto rebuilt = rebuild_with_retry(call, follower);
  progress.finish();
  return rebuilt ? show_status(session, index) : fail(rebuilt.error());
}

int verify(Session&, composition::WritableIndex& index) {
  Progress progress("verify");
  auto work = std::async(std::launch::async, [&] {
    ports::Call call;
    return index.port->verify(call);
  });
  while (work.wait_for(kRedraw) == std::future_status::timeout) progress.show_time();
  const auto verified = work.get();
  progress.finish();
  if (!verified) return fail(verified.error());
  std::puts("the index is valid");
  return kSuccess;
}

void add_action(Command group, const char* name, const char* description,
                int (*work)(Session&, composition::WritableIndex&)) {
  const auto arguments = std::make_shared<ConfigArguments>();
  Command command = group.command(name, description);
  add_config_options(command, *arguments);
  command.set_action([arguments, work] {
    return with_existing_stores(*arguments, [work](Session& session) {
      auto index = session.backends.open_index(session.stores);
      return index ? work(session, *index) : fail(index.error());
    });
  });
}

}  // namespace

void add_index(Command root) {
  const Command group = root.group("index", "show, rebuild or verify the search index");
  add_action(group, "status", "show the state of the index", show_status);
  add_action(group, "rebuild", "rebuild the index from the store; searches use the old index meanwhile", rebuild);
  add_action(group, "verify", "read the whole index and check its integrity", verify);
}

}  // namespace kbase::cli
