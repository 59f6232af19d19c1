// SPDX-License-Identifier: Apache-2.0
/* A cache that keeps nothing, which is legal. Built with the headers of each version that was released. */
#include <kbase/plugin.h>
#include <stdlib.h>
#include <string.h>

KB_NOTE;

struct kb_cache {
  const kb_host* host;
};

static kb_status create(const kb_host* host, kb_call* call, kb_view config, kb_cache** instance) {
  (void)call;
  (void)config;
  *instance = malloc(sizeof **instance);
  if (*instance == NULL) return KB_NO_MEMORY;
  (*instance)->host = host;
  return KB_OK;
}

static void destroy(kb_cache* cache) { free(cache); }

static kb_status health(kb_cache* cache, kb_call* call) {
  (void)call;
  return cache->host->monotonic_ns(cache->host) == 0 ? KB_UNAVAILABLE : KB_OK;
}

static kb_status get(kb_cache* cache, kb_call* call, kb_view key, kb_value_sink sink, void* data) {
  (void)cache;
  (void)call;
  (void)key;
  (void)sink;
  (void)data;
  return KB_NOT_FOUND;
}

static kb_status put(kb_cache* cache, kb_call* call, kb_view key, kb_view value, uint64_t time_to_live_ms) {
  (void)cache;
  (void)call;
  (void)key;
  (void)value;
  (void)time_to_live_ms;
  return KB_OK;
}

static kb_status erase(kb_cache* cache, kb_call* call, kb_view key) {
  (void)cache;
  (void)call;
  (void)key;
  return KB_OK;
}

static const char schema[] = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{}}";

static const kb_cache_v1 table = {
    sizeof(kb_cache_v1), KB_CACHE_INLINE_CALLS, 0, 0, schema, create, destroy, health, get, put, erase};

static const void* get_port(const char* port_id) { return strcmp(port_id, KB_PORT_CACHE) == 0 ? &table : NULL; }

static const kb_plugin plugin = {sizeof(kb_plugin), KB_ABI_MAJOR, KB_ABI_MINOR, "org.example.forgetful",
                                 "1.0.0",           "Example",    "Apache-2.0", get_port};

const kb_plugin* kb_plugin_entry(void) { return &plugin; }
