// SPDX-License-Identifier: Apache-2.0
#include "app/composition/planless_keys.hpp"

#include <chrono>
#include <cstddef>

namespace kbase::composition {
namespace {

constexpr std::size_t kMostNamed = 5;
/// Shorter than the watchdog's interval: a reload waits for it on the thread that notifies the watchdog.
constexpr std::chrono::seconds kTimeout{5};

}  // namespace

model::Result<std::string> planless_keys(ports::ApiKeyStore& store,
                                         model::FunctionRef<bool(const std::string& plan)> is_gone,
                                         const ports::Clock& clock) {
  std::string named;
  std::size_t count = 0;
  const model::Instant now = clock.now();
  ports::Call call;
  call.deadline = clock.steady() + kTimeout;
  const auto listed = store.list(call, [&](const model::ApiKey& key) {
    if (!model::is_alive(key, now) || !is_gone(key.plan)) return model::Visit::Continue;
    if (++count <= kMostNamed) named += (named.empty() ? "" : ", ") + key.id + " (" + key.plan + ")";
    return model::Visit::Continue;
  });
  if (!listed) return listed.error();
  if (count > kMostNamed) named += " and " + std::to_string(count - kMostNamed) + " more";
  return named;
}

}  // namespace kbase::composition
