// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/composition/backends.hpp"
#include "app/composition/parts.hpp"
#include "app/runtime/index_follower.hpp"
#include "app/runtime/view_tasks.hpp"
#include "app/runtime/worker_pool.hpp"

namespace kbase::composition {

/// The periodic tasks, each in its own thread: they update the index, store views and usage, and check the health of
/// the services.
class Background {
 public:
  /// All members must outlive this object.
  struct Dependencies {
    Environment& env;
    Storage& storage;
    Search& search;
    const RateLimiting& rate_limiting;
    const Upstreams& upstreams;
    Health& health;
    Access& access;
  };
  explicit Background(const Dependencies& deps);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Checks all services, updates the index if it is small, and starts the tasks.
  void start();

  /// Stops the tasks of the stores and writes views and usage. False: not everything could be written; the reasons are
  /// logged.
  bool stop();

 private:
  const Dependencies deps_;
  runtime::ViewPublisher view_publisher_;
  runtime::IndexUpdater index_updater_;
  std::unique_ptr<runtime::PeriodicTask> journal_task_, view_flush_task_, view_publish_task_, index_task_,
      rate_limiter_health_task_, health_task_, codehost_health_task_, llm_health_task_, key_refresh_task_, usage_task_;
};

}  // namespace kbase::composition
