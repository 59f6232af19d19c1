// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/table.hpp"

namespace kbase::sdk {
namespace {

ports::ApiKeyStore& of(kb_key_store* store) noexcept {
  return port_of<ports::ApiKeyStore>(store);
}

class Keys : public Sink<kb_key_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const model::ApiKey& key) {
    const kb_key row = key_of(key);
    return lend(&row);
  }
};

class Usage : public Sink<kb_key_usage_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const ports::KeyUsage& usage) {
    const kb_key_usage row = usage_of(usage);
    return lend(&row);
  }
};

kb_status ended_search(kb_call* call, const model::Result<std::optional<model::ApiKey>>& key, Keys keys) {
  if (!key) return failed(call, key.error());
  if (!*key) return KB_NOT_FOUND;
  keys(**key);
  return keys.stopped() ? KB_STOPPED : KB_OK;
}

kb_status revision(kb_key_store* store, kb_call* call, std::uint64_t* out) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, of(store).revision(inner), out); });
}

kb_status find(kb_key_store* store, kb_call* call, const std::uint8_t digest[32], kb_key_sink sink,
               void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    model::KeyDigest wanted;
    std::copy_n(digest, wanted.size(), wanted.begin());
    return ended_search(call, of(store).find(inner, wanted), {sink, data});
  });
}

kb_status get(kb_key_store* store, kb_call* call, kb_view id, kb_key_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    return ended_search(call, of(store).get(inner, text_of(id)), {sink, data});
  });
}

kb_status list(kb_key_store* store, kb_call* call, kb_key_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Keys keys(sink, data);
    return ended(call, of(store).list(inner, keys), keys);
  });
}

kb_status create_key(kb_key_store* store, kb_call* call, const kb_key* key) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, of(store).create(inner, key_of(*key))); });
}

kb_status update_key(kb_key_store* store, kb_call* call, const kb_key* key) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, of(store).update(inner, key_of(*key))); });
}

kb_status add_usage(kb_key_store* store, kb_call* call, const kb_key_usage* const* usage, std::size_t count) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    std::vector<ports::KeyUsage> rows;
    rows.reserve(count);
    for (const kb_key_usage* const row : std::span(usage, count))
      rows.push_back({text_of(row->id), day_of(row->day), row->requests});
    return ended(call, of(store).add_usage(inner, rows));
  });
}

kb_status usage(kb_key_store* store, kb_call* call, std::int32_t first, std::int32_t last, kb_key_usage_sink sink,
                void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Usage rows(sink, data);
    return ended(call, of(store).usage(inner, day_of(first), day_of(last), rows), rows);
  });
}

kb_status last_used(kb_key_store* store, kb_call* call, kb_view id, std::int32_t* out) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    const auto day = of(store).last_used(inner, text_of(id));
    if (!day) return failed(call, day.error());
    if (!*day) return kb_status{KB_NOT_FOUND};
    *out = number_of(**day);
    return kb_status{KB_OK};
  });
}

kb_status forget_usage(kb_key_store* store, kb_call* call, std::int32_t first) noexcept {
  return guarded(call,
                 [&](ports::Call& inner) { return ended(call, of(store).delete_usage_before(inner, day_of(first))); });
}

}  // namespace

constinit const kb_key_store_v1 InC<ports::ApiKeyStore>::kCalls = {
    .struct_size = sizeof(kb_key_store_v1),
    .inline_calls = 0,
    .flags = 0,
    .capabilities = 0,
    .config_schema = nullptr,
    .create = nullptr,
    .destroy = destroy,
    .health = health_by_revision<ports::ApiKeyStore>,
    .revision = revision,
    .find = find,
    .get = get,
    .list = list,
    .create_key = create_key,
    .update_key = update_key,
    .add_usage = add_usage,
    .usage = usage,
    .last_used = last_used,
    .forget_usage = forget_usage,
};

}  // namespace kbase::sdk
