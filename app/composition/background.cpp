// SPDX-License-Identifier: Apache-2.0
#include "app/composition/background.hpp"

#include <chrono>

namespace kbase::composition {
namespace {

using runtime::PeriodicTask;

constexpr std::chrono::milliseconds kJournalPause{100};
constexpr std::chrono::milliseconds kViewFlushPause{500};
constexpr std::chrono::milliseconds kViewPublishPause{2000};
constexpr std::chrono::milliseconds kIndexPause{200};
constexpr std::chrono::milliseconds kHealthCheckPause{1000};
constexpr std::chrono::milliseconds kKeyRefreshPause{1000};
constexpr std::chrono::milliseconds kUsagePause{2000};
/// A store with at most this many revisions is indexed before the first request; a larger one while requests are
/// served.
constexpr model::Revision kMaxRevisionsIndexedAtStart = 10'000;

}  // namespace

Background::Background(const Dependencies& deps)
    : deps_(deps),
      view_publisher_({deps.storage.views, *deps.storage.stores.activity, *deps.storage.stores.items,
                       *deps.search.index.port, deps.env.platform.clock, deps.env.platform.log,
                       deps.search.index.lease.get()}),
      index_updater_({*deps.storage.stores.items, *deps.search.index.port, deps.env.platform.markup,
                      deps.health.checker, deps.health.readiness, deps.env.platform.clock, deps.env.platform.log,
                      deps.search.synonyms, deps.search.index.lease.get()}) {}

Background::~Background() {
  index_updater_.stop();
  view_publisher_.stop();
}

void Background::start() {
  ports::Call call;
  const auto revision = deps_.storage.stores.items->revision(call);
  static_cast<void>(deps_.search.synonyms.read(call));
  deps_.search.synonyms.publish();
  if (revision && *revision <= kMaxRevisionsIndexedAtStart) index_updater_.update();
  deps_.health.checker.check();
  journal_task_ = std::make_unique<PeriodicTask>(kJournalPause, [this] { deps_.storage.view_flusher.write_journal(); });
  view_flush_task_ = std::make_unique<PeriodicTask>(kViewFlushPause, [this] { deps_.storage.flush_views(); });
  view_publish_task_ = std::make_unique<PeriodicTask>(kViewPublishPause, [this] { view_publisher_.publish(); });
  index_task_ = std::make_unique<PeriodicTask>(kIndexPause, [this] {
    index_updater_.update();
    index_updater_.await_change();
  });
  rate_limiter_health_task_ = start_health_task(deps_.rate_limiting, deps_.health.checker);
  health_task_ = std::make_unique<PeriodicTask>(kHealthCheckPause, [this] {
    deps_.health.checker.check();
    deps_.health.readiness.refresh();  // also here, because updating a large index takes long
  });
  codehost_health_task_ = deps_.upstreams.codehost->start_health_task(deps_.health.checker);
  llm_health_task_ = deps_.upstreams.llm->start_health_task(deps_.health.checker);
  // In its own thread, so that a health check that hangs does not delay the revocation of keys.
  key_refresh_task_ = std::make_unique<PeriodicTask>(kKeyRefreshPause, [this] { deps_.access.key_cache.refresh(); });
  usage_task_ = std::make_unique<PeriodicTask>(kUsagePause, [this] {
    static_cast<void>(deps_.access.usage.flush());  // flush() logs failures and retries
  });
}

bool Background::stop() {
  runtime::ViewFlusher& view_flusher = deps_.storage.view_flusher;
  index_updater_.stop();
  index_task_->stop();
  health_task_->stop();
  key_refresh_task_->stop();
  view_publisher_.stop();
  view_publish_task_->stop();
  journal_task_->stop();
  view_flusher.write_journal();
  view_flush_task_->stop();
  view_flusher.flush();
  usage_task_->stop();
  return deps_.access.usage.finish() && !view_flusher.has_unwritten_views();
}

}  // namespace kbase::composition
