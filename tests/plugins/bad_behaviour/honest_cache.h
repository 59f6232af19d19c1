// SPDX-License-Identifier: Apache-2.0
// Cache of a hundred values that satisfies kbase/cache.h. A plugin of this folder includes it after defining the one
// part that violates the contract.
#define _GNU_SOURCE
#include <kbase/plugin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef AT_CREATE
#define AT_CREATE(cache)
#endif
#ifndef AT_DESTROY
#define AT_DESTROY(cache)
#endif
#ifndef AT_PUT
#define AT_PUT(cache, call, key, value)
#endif
#ifndef AT_GET
#define AT_GET(cache, call, key)
#endif
#ifndef PASS
#define PASS(cache, sink, data, value) ((sink)((data), (value)) == 0 ? KB_OK : KB_STOPPED)
#endif
#ifndef COPY_OF
#define COPY_OF(view) copy_of(view)
#define RELEASE(copy) free(copy)
#endif
#ifndef SCHEMA
#define SCHEMA "{\"type\": \"object\", \"properties\": {}}"
#endif

#define SLOTS 100

struct slot {
  char* key;
  char* value;
  size_t key_size;
  size_t value_size;
  uint64_t expires_ns;
};

struct kb_cache {
  const kb_host* host;
  pthread_mutex_t mutex;
  struct slot slots[SLOTS];
  size_t next; /* slot for the next new key */
};

static char* copy_of(kb_view view) {
  char* copy = malloc(view.size + 1);
  if (copy != NULL && view.size > 0) memcpy(copy, view.data, view.size);
  return copy;
}

static void clear(struct slot* slot) {
  free(slot->key);
  RELEASE(slot->value);
  memset(slot, 0, sizeof *slot);
}

static struct slot* find(struct kb_cache* cache, kb_view key) {
  for (size_t i = 0; i < SLOTS; ++i) {
    struct slot* slot = &cache->slots[i];
    if (slot->key == NULL || slot->key_size != key.size) continue;
    if (key.size > 0 && memcmp(slot->key, key.data, key.size) != 0) continue;
    if (slot->expires_ns > cache->host->monotonic_ns(cache->host)) return slot;
    clear(slot);
    return NULL;
  }
  return NULL;
}

static kb_status create(const kb_host* host, kb_call* call, kb_view config, kb_cache** instance) {
  struct kb_cache* cache = calloc(1, sizeof *cache);
  (void)call, (void)config;
  if (cache == NULL) return KB_NO_MEMORY;
  cache->host = host;
  pthread_mutex_init(&cache->mutex, NULL);
  *instance = cache;
  AT_CREATE(cache);
  return KB_OK;
}

static void destroy(kb_cache* cache) {
  AT_DESTROY(cache);
  for (size_t i = 0; i < SLOTS; ++i) clear(&cache->slots[i]);
  pthread_mutex_destroy(&cache->mutex);
  free(cache);
}

static kb_status health(kb_cache* cache, kb_call* call) {
  (void)cache, (void)call;
  return KB_OK;
}

/* Calls the sink under the lock, which is permitted: the sink copies the value and returns. */
static kb_status get(kb_cache* cache, kb_call* call, kb_view key, kb_value_sink sink, void* data) {
  kb_status status = KB_NOT_FOUND;
  struct slot* slot;
  (void)call;
  pthread_mutex_lock(&cache->mutex);
  AT_GET(cache, call, key);
  slot = find(cache, key);
  if (slot != NULL) {
    kb_view value = {slot->value, slot->value_size};
    status = PASS(cache, sink, data, value);
  }
  pthread_mutex_unlock(&cache->mutex);
  return status;
}

static kb_status erase(kb_cache* cache, kb_call* call, kb_view key) {
  struct slot* slot;
  (void)call;
  pthread_mutex_lock(&cache->mutex);
  slot = find(cache, key);
  if (slot != NULL) clear(slot);
  pthread_mutex_unlock(&cache->mutex);
  return KB_OK;
}

static uint64_t end_of(uint64_t now, uint64_t time_to_live_ms) {
  return time_to_live_ms > (UINT64_MAX - now) / 1000000 ? UINT64_MAX : now + time_to_live_ms * 1000000;
}

static kb_status put(kb_cache* cache, kb_call* call, kb_view key, kb_view value, uint64_t time_to_live_ms) {
  struct slot* slot;
  (void)call;
  pthread_mutex_lock(&cache->mutex);
  AT_PUT(cache, call, key, value);
  slot = find(cache, key);
  if (slot == NULL) slot = &cache->slots[cache->next++ % SLOTS];
  clear(slot);
  slot->key = copy_of(key);
  slot->value = COPY_OF(value);
  slot->key_size = key.size;
  slot->value_size = value.size;
  slot->expires_ns = end_of(cache->host->monotonic_ns(cache->host), time_to_live_ms);
  if (slot->key == NULL || slot->value == NULL) clear(slot);
  pthread_mutex_unlock(&cache->mutex);
  return KB_OK;
}

static const kb_cache_v1 table = {sizeof(kb_cache_v1), 0, 0, 0, SCHEMA, create, destroy, health, get, put, erase};

static const void* get_port(const char* port_id) {
#ifdef CARELESS_GET_PORT
  return strncmp(port_id, KB_PORT_CACHE, sizeof KB_PORT_CACHE - 1) == 0 ? &table : NULL;
#else
  return strcmp(port_id, KB_PORT_CACHE) == 0 ? &table : NULL;
#endif
}

static const kb_plugin plugin = {sizeof(kb_plugin), KB_ABI_MAJOR, KB_ABI_MINOR, "org.example.cache",
                                 "1.0.0",           "Example",    "Apache-2.0", get_port};

KB_NOTE;

const kb_plugin* kb_plugin_entry(void) { return &plugin; }
