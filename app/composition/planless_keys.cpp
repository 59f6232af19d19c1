// SPDX-License-Identifier: Apache-2.0
#include "app/composition/planless_keys.hpp"

#include <algorithm>
#include <cstddef>

namespace kbase::composition {
namespace {

constexpr std::size_t kMostNamed = 5;

}  // namespace

model::Result<std::string> planless_keys(ports::ApiKeyStore& store, const std::vector<model::Plan>& plans,
                                         model::Instant now) {
  const auto has_plan = [&](const model::ApiKey& key) {
    return std::any_of(plans.begin(), plans.end(), [&](const model::Plan& plan) { return plan.name == key.plan; });
  };
  std::string named;
  std::size_t count = 0;
  ports::Call call;
  const auto listed = store.list(call, [&](const model::ApiKey& key) {
    if (!model::is_alive(key, now) || has_plan(key)) return model::Visit::Continue;
    if (++count <= kMostNamed) named += (named.empty() ? "" : ", ") + key.id + " (" + key.plan + ")";
    return model::Visit::Continue;
  });
  if (!listed) return listed.error();
  if (count > kMostNamed) named += " and " + std::to_string(count - kMostNamed) + " more";
  return named;
}

}  // namespace kbase::composition
