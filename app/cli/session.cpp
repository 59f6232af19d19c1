// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.hpp"

#include <csignal>
#include <optional>

#include "app/cli/progress.hpp"
#include "app/composition/configured_files.hpp"
#include "app/runtime/data_folder.hpp"
#include "app/runtime/index_follower.hpp"
#include "domain/base/result.hpp"

namespace kbase::cli {

Status open_stores(Session& session) {
  if (auto prepared = composition::prepare_data_dir(session.settings); !prepared) return prepared;
  auto stores = KBASE_TRY(session.backends.open_stores());
  session.stores = std::move(stores);
  return {};
}

int with_session(const ConfigArguments& arguments, const std::function<int(Session&)>& work) {
  auto settings = load_settings(arguments);
  if (!settings) return fail_usage(settings.error());
  Session session(*std::move(settings));
  // The command prints its own result, so log only problems of the stores.
  session.platform.log.set_level(ports::LogLevel::Warning);
  return work(session);
}

int with_stores(const ConfigArguments& arguments, const std::function<int(Session&)>& work) {
  return with_session(arguments, [&work](Session& session) {
    if (auto opened = open_stores(session); !opened) return fail(opened.error());
    return work(session);
  });
}

int feed_index(Session& session) {
  if (runtime::ServeLock::is_locked(session.settings.data_dir)) return kSuccess;
  auto index = session.backends.open_index(session.stores);
  if (!index) return fail(index.error());
  Progress progress("index");
  runtime::IndexFollower follower(
      *session.stores.items, *index->port,
      {[&](std::uint64_t records) { progress.show(std::nullopt, records); }, /*on_rebuild=*/{}}, index->lease.get());
  ports::Call call;
  const auto followed = follower.follow(call);
  progress.finish();
  if (followed || followed.error().code == ErrorCode::Conflict) return kSuccess;
  return fail(followed.error());
}

namespace {

std::atomic<bool> interrupted{false};

void interrupt(int) { interrupted = true; }

}  // namespace

const std::atomic<bool>& watch_for_interruption() {
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  return interrupted;
}

}  // namespace kbase::cli
