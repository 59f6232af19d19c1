// SPDX-License-Identifier: Apache-2.0
#include "app/composition/opened.hpp"

#include <filesystem>
#include <utility>

#include "app/runtime/log_secret.hpp"

namespace kbase::composition {
namespace {

model::Result<std::string> secret_of_log(const config::Settings& settings, Platform& platform) {
  if (!settings.logging.secret.empty()) return settings.logging.secret;
  return runtime::log_secret(std::filesystem::path(settings.data_dir) / "log.secret", platform.random);
}

}  // namespace

model::Result<Opened> open_all(const config::Settings& settings, Platform& platform) {
  if (auto prepared = prepare_data_dir(settings); !prepared) return prepared.error();
  auto locks = take_locks(settings);
  if (!locks) return locks.error();
  auto log_secret = secret_of_log(settings, platform);
  if (!log_secret) return log_secret.error();
  auto metrics = std::make_unique<prometheus::PrometheusMetrics>();
  auto backends = std::make_unique<Backends>(settings, platform, metrics.get());
  auto stores = backends->open_stores();
  if (!stores) return stores.error();
  auto index = backends->open_index(*stores);
  if (!index) return index.error();
  auto rate_limiter = open_rate_limiter(settings.rate_limit, *backends, platform, *metrics);
  if (!rate_limiter) return rate_limiter.error();
  auto cache = backends->open_cache();
  if (!cache) return cache.error();
  auto look_ups = std::make_unique<runtime::MeteredLookUps>(*metrics);
  auto codehost = CodeHostService::open({settings, platform, *backends, cache->get(), look_ups.get()});
  if (!codehost) return codehost.error();
  auto llm = LanguageModelService::open({settings, platform, *backends, rate_limiter->tokens()});
  if (!llm) return llm.error();
  auto journal = runtime::ViewJournal::open(std::filesystem::path(settings.data_dir) / "journal", platform.random);
  if (!journal) return journal.error();
  return Opened{*std::move(locks),   *std::move(log_secret), std::move(metrics),       std::move(backends),
                *std::move(stores),  *std::move(index),      *std::move(rate_limiter), *std::move(cache),
                std::move(look_ups), *std::move(codehost),   *std::move(llm),          *std::move(journal)};
}

}  // namespace kbase::composition
