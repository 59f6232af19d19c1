// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/table.hpp"

namespace kbase::sdk {
namespace {

/// Longer times to live are reduced to this, which a cache is allowed to do, so that adding one to the clock never
/// overflows.
constexpr std::chrono::milliseconds kLongestLife = std::chrono::hours(24 * 366);

ports::Cache& of(kb_cache* cache) noexcept {
  return port_of<ports::Cache>(cache);
}

class Value : public Sink<kb_value_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(std::string_view value) { return lend(view_of(value)); }
};

kb_status get(kb_cache* cache, kb_call* call, kb_view key, kb_value_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Value value(sink, data);
    const auto hit = of(cache).get(inner, text_of(key), value);
    if (!hit) return failed(call, hit.error());
    if (!*hit) return KB_NOT_FOUND;
    return value.stopped() ? KB_STOPPED : KB_OK;
  });
}

kb_status put(kb_cache* cache, kb_call* call, kb_view key, kb_view value, std::uint64_t time_to_live_ms) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    const auto longest = static_cast<std::uint64_t>(kLongestLife.count());
    const std::chrono::milliseconds life(static_cast<std::int64_t>(std::min(time_to_live_ms, longest)));
    return ended(call, of(cache).put(inner, text_of(key), text_of(value), life));
  });
}

kb_status erase(kb_cache* cache, kb_call* call, kb_view key) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, of(cache).erase(inner, text_of(key))); });
}

}  // namespace

constinit const kb_cache_v1 InC<ports::Cache>::kCalls = {
    .struct_size = sizeof(kb_cache_v1),
    .inline_calls = 0,
    .flags = 0,
    .capabilities = 0,
    .config_schema = nullptr,
    .create = nullptr,
    .destroy = destroy,
    .health = health<ports::Cache>,
    .get = get,
    .put = put,
    .erase = erase,
};

}  // namespace kbase::sdk
