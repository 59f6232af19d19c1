// SPDX-License-Identifier: Apache-2.0
// Rate-limit store that counts each client's requests of the day and reports the day's window for the minute too. A
// plugin of this folder includes it after defining the part that violates the contract.
#define _GNU_SOURCE
#include <kbase/plugin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef LIMIT
#define LIMIT(limit) (limit)
#endif
#ifndef AT_ANSWER
#define AT_ANSWER(taken)
#endif

#define SUBJECTS 1000

struct kb_rate_limit_store {
  const kb_host* host;
  pthread_mutex_t mutex;
  size_t known;
  uint8_t subjects[SUBJECTS][16];
  uint32_t counts[SUBJECTS];
};

static kb_status create(const kb_host* host, kb_call* call, kb_view config, kb_rate_limit_store** instance) {
  struct kb_rate_limit_store* store = calloc(1, sizeof *store);
  (void)call, (void)config;
  if (store == NULL) return KB_NO_MEMORY;
  store->host = host;
  pthread_mutex_init(&store->mutex, NULL);
  *instance = store;
  return KB_OK;
}

static void destroy(kb_rate_limit_store* store) {
  pthread_mutex_destroy(&store->mutex);
  free(store);
}

static kb_status health(kb_rate_limit_store* store, kb_call* call) {
  (void)store, (void)call;
  return KB_OK;
}

static uint32_t* count_of(struct kb_rate_limit_store* store, const uint8_t* subject) {
  for (size_t i = 0; i < store->known; ++i)
    if (memcmp(store->subjects[i], subject, 16) == 0) return &store->counts[i];
  if (store->known == SUBJECTS) abort();
  memcpy(store->subjects[store->known], subject, 16);
  return &store->counts[store->known++];
}

static uint64_t left_of(uint64_t limit, uint32_t count) { return count < limit ? limit - count : 0; }

static void answer(struct kb_rate_limit_store* store, const kb_take* take, kb_taken* taken) {
  const int64_t now = store->host->wall_ms(store->host);
  uint32_t* count = count_of(store, take->subject);
  const uint64_t per_minute = take->per_minute != 0 ? LIMIT(take->per_minute) : UINT32_MAX;
  const uint64_t per_day = take->per_day != 0 ? LIMIT(take->per_day) : UINT32_MAX;
  taken->allowed = take->cost <= left_of(per_minute, *count) && take->cost <= left_of(per_day, *count);
  if (taken->allowed) *count += (uint32_t)take->cost;
  taken->minute_remaining = left_of(take->per_minute, *count);
  taken->day_remaining = left_of(take->per_day, *count);
  taken->minute_reset_ms = now + 60000;
  taken->day_reset_ms = (now / 86400000 + 1) * 86400000;
  AT_ANSWER(taken);
}

static kb_status take(kb_rate_limit_store* store, kb_call* call, const kb_take* const* takes, kb_taken* const* taken,
                      size_t count) {
  (void)call;
  pthread_mutex_lock(&store->mutex);
  for (size_t i = 0; i < count; ++i) answer(store, takes[i], taken[i]);
  pthread_mutex_unlock(&store->mutex);
  return KB_OK;
}

static const kb_rate_limit_store_v1 table = {
    sizeof(kb_rate_limit_store_v1), 0, 0, 0, NULL, create, destroy, health, take, NULL};

static const void* get_port(const char* port_id) {
  return strcmp(port_id, KB_PORT_RATE_LIMIT_STORE) == 0 ? &table : NULL;
}

static const kb_plugin plugin = {sizeof(kb_plugin), KB_ABI_MAJOR, KB_ABI_MINOR, "org.example.limiter",
                                 "1.0.0",           "Example",    "Apache-2.0", get_port};

KB_NOTE;

const kb_plugin* kb_plugin_entry(void) { return &plugin; }
