// SPDX-License-Identifier: Apache-2.0
#include "app/composition/service.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/composition/accounts.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/background.hpp"
#include "app/composition/edge.hpp"
#include "app/composition/insights.hpp"
#include "app/composition/parts.hpp"
#include "app/config/version.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {

/// Constructed from top to bottom and destroyed in reverse order.
struct Service::Parts {
  std::unique_ptr<Environment> env;
  std::unique_ptr<Storage> storage;
  std::unique_ptr<Search> search;
  RateLimiting rate_limiting;
  Upstreams upstreams;
  Mailing mailing;
  std::optional<insight_page::InsightPage> insight_page;
  Health health{*env, *storage, *search, upstreams.cache.get()};
  Access access{*env, *storage, rate_limiting.requests()};
  Background background{{*env, *storage, *search, rate_limiting, upstreams, health, access}};
  Accounts accounts{{*env, *storage, access, rate_limiting.requests(), mailing}};
  Insights insights{*env, *storage, std::move(insight_page)};
  Edge edge{{*env, *storage, *search, upstreams, health, access, accounts.port(), insights}};
};

namespace {

/// Logs what the server serves.
void log_opened(Environment& env, Storage& storage, Access& access) {
  ports::Call call;
  const auto totals = storage.stores.items->totals(call, model::day_of(env.platform.clock.now()));
  std::uint64_t key_count = 0;
  const auto counted = access.keys.list(call, [&](const model::ApiKey&) {
    ++key_count;
    return Visit::Continue;
  });
  std::error_code ignored;
  const std::string folder = std::filesystem::absolute(env.settings.data_dir, ignored).string();
  std::vector<ports::LogField> fields = {{"version", config::kVersion},
                                         {"data_dir", folder},
                                         {"storage", env.settings.storage.plugin},
                                         {"search", env.settings.search.plugin}};
  if (totals) fields.push_back({"items", totals->items});
  if (counted) fields.push_back({"keys", key_count});
  env.platform.log.log(ports::LogLevel::Info, "server.opened", "the knowledge base is open", fields);
}

}  // namespace

Service::Service(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::start(const config::Settings& settings, Platform& platform) {
  const auto ports = KBASE_TRY(reserve_ports(settings));
  auto env = KBASE_TRY(open_environment(settings, platform));
  auto storage = KBASE_TRY(open_storage(*env));
  auto search = KBASE_TRY(open_search(*env, *storage));
  auto rate_limiting = KBASE_TRY(open_rate_limiting(settings.rate_limit, env->backends, platform, env->metrics));
  auto upstreams = KBASE_TRY(open_upstreams(*env, rate_limiting.tokens()));
  auto mailing = KBASE_TRY(open_mailing(*env));
  auto insight_page = KBASE_TRY(open_insight_page(*env));
  std::unique_ptr<Parts> parts(new Parts{std::move(env), std::move(storage), std::move(search),
                                         std::move(rate_limiting), std::move(upstreams), std::move(mailing),
                                         std::move(insight_page)});
  KBASE_TRY(parts->edge.start_admin());
  KBASE_TRY(parts->storage->load());
  log_opened(*parts->env, *parts->storage, parts->access);
  parts->access.warn_about_missing_plans();
  parts->background.start();
  parts->insights.start();
  KBASE_TRY(parts->edge.start_server());
  parts->accounts.start(settings.signup.public_url.empty() ? parts->edge.site_url() : settings.signup.public_url);
  return std::unique_ptr<Service>(new Service(std::move(parts)));
}

std::string Service::url() const { return parts_->edge.url(); }

std::chrono::steady_clock::time_point Service::last_iteration() const { return parts_->edge.last_iteration(); }

Status Service::reload(const config::Settings& settings) {
  KBASE_TRY(parts_->access.reload(settings));
  parts_->env->platform.log.set_level(settings.logging.level);
  return {};
}

void Service::drain() {
  ports::EventLog& log = parts_->env->platform.log;
  log.log(ports::LogLevel::Info, "server.draining", "stopping; requests in flight are finished first");
  parts_->health.readiness.set(runtime::ServerReadiness::Phase::Draining);
  parts_->edge.drain_server();
  parts_->accounts.stop();
  parts_->insights.stop();
  const bool is_written = parts_->background.stop();
  parts_->edge.drain_admin();
  log.log(
      is_written ? ports::LogLevel::Info : ports::LogLevel::Warning, "server.stopped",
      is_written ? "stopped; all data was written" : "stopped; some data could not be written, see the messages above");
}

}  // namespace kbase::composition
