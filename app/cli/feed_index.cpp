// SPDX-License-Identifier: Apache-2.0
#include "app/cli/feed_index.hpp"

#include <optional>

#include "app/cli/progress.hpp"
#include "app/runtime/index_follower.hpp"
#include "app/runtime/serve_lock.hpp"

namespace kbase::cli {

int feed_index(Session& session) {
  if (runtime::ServeLock::is_taken(session.settings.data_dir)) return kSuccess;
  auto index = session.backends.open_index(session.stores);
  if (!index) return fail(index.error());
  Progress progress("index");
  runtime::IndexFollower follower(
      *session.stores.items, *index->port,
      {[&](std::uint64_t records) { progress.show(std::nullopt, records); }, /*on_rebuild=*/{}}, index->lease.get());
  ports::Call call;
  const auto followed = follower.follow(call);
  progress.finish();
  if (followed || followed.error().code == model::ErrorCode::Conflict) return kSuccess;
  return fail(followed.error());
}

}  // namespace kbase::cli
