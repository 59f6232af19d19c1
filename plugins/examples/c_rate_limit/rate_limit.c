// SPDX-License-Identifier: Apache-2.0
/* A rate-limit store in plain C99: the rate limiter of one process, exact until its table of clients is full. It is an
 * example of a plugin without an SDK: settings (read_max_clients), the functions of the port, the table, the entry.
 * The C header calls a client `subject`. */
#include <kbase/plugin.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

KB_NOTE;

#define WINDOW_MS 60000
#define HOUR_MS 3600000
#define DAY_MS 86400000
#define DEFAULT_MAX_SUBJECTS 100000u
#define LARGEST_MAX_SUBJECTS 10000000u
#define MAX_SKIPPED 32 /* clients checked when looking for a free slot */
#define NONE UINT32_MAX

/* ---- the two windows of a client -------------------------------------------------------------------------------- */

/* The sum of the charges of one millisecond. */
typedef struct charge {
  int64_t at_ms;
  uint64_t cost;
} charge;

typedef struct client {
  uint8_t name[16];
  uint32_t next_in_bucket; /* NONE: the last */
  uint32_t newer, older;   /* list of clients by last use */

  charge* charges; /* ring of `capacity`, oldest first: the charges of the last minute */
  uint32_t capacity, first, count;
  uint64_t minute_used; /* the sum of the charges */

  int64_t day; /* since 1970-01-01 */
  uint64_t day_used;
  uint64_t per_minute, per_day; /* limits of the last kb_take with a cost above 0 */
} client;

static charge* charge_of(const client* s, uint32_t index) { return &s->charges[(s->first + index) % s->capacity]; }

/* Removes expired charges from the windows at `now`. A charge in the future, from before the clock stepped back, gets
 * the time `now`: it counts for one more window and no longer. */
static void expire(client* s, int64_t now) {
  const int64_t today = (now - (now < 0 ? DAY_MS - 1 : 0)) / DAY_MS;
  uint32_t i;
  for (i = s->count; i > 0 && charge_of(s, i - 1)->at_ms > now; --i) charge_of(s, i - 1)->at_ms = now;
  while (s->count > 0 && now - charge_of(s, 0)->at_ms >= WINDOW_MS) {
    s->minute_used -= charge_of(s, 0)->cost;
    s->first = (s->first + 1) % s->capacity;
    --s->count;
  }
  /* If the clock stepped back over midnight, keep the stored day if it begins again within an hour. Charges of a day
   * further ahead count as charges of today. */
  if (s->day < today) s->day_used = 0;
  if (s->day_used == 0 || s->day * DAY_MS - now > HOUR_MS) s->day = today;
}

static bool has_slot_for_charge(client* s, int64_t now) {
  uint32_t capacity, i;
  charge* charges;
  if (s->count > 0 && charge_of(s, s->count - 1)->at_ms == now) return true;
  if (s->count < s->capacity) return true;
  capacity = s->capacity == 0 ? 4 : s->capacity * 2;
  charges = malloc(capacity * sizeof *charges);
  if (charges == NULL) return false;
  for (i = 0; i < s->count; ++i) charges[i] = *charge_of(s, i);
  free(s->charges);
  s->charges = charges;
  s->capacity = capacity;
  s->first = 0;
  return true;
}

static void charge_minute(client* s, int64_t now, uint64_t cost) {
  if (s->count == 0 || charge_of(s, s->count - 1)->at_ms != now) {
    ++s->count;
    charge_of(s, s->count - 1)->at_ms = now;
    charge_of(s, s->count - 1)->cost = 0;
  }
  charge_of(s, s->count - 1)->cost += cost;
  s->minute_used += cost;
}

static uint64_t remaining(uint64_t limit, uint64_t used) { return used < limit ? limit - used : 0; }

static bool admits(uint64_t limit, uint64_t used, uint64_t cost) {
  return limit == 0 || cost <= remaining(limit, used);
}

/* Charges both windows or neither. A window without a limit counts nothing. Requires expire(s, now). */
static kb_status acquire_from(client* s, int64_t now, const kb_take* take, kb_taken* taken) {
  const bool allowed =
      admits(take->per_minute, s->minute_used, take->cost) && admits(take->per_day, s->day_used, take->cost);
  if (take->cost > 0) {
    s->per_minute = take->per_minute;
    s->per_day = take->per_day;
  }
  if (allowed && take->cost > 0) {
    if (take->per_minute > 0) {
      if (!has_slot_for_charge(s, now)) return KB_NO_MEMORY;
      charge_minute(s, now, take->cost);
    }
    if (take->per_day > 0) s->day_used += take->cost;
  }
  taken->allowed = allowed ? 1 : 0;
  taken->minute_remaining = remaining(take->per_minute, s->minute_used);
  taken->day_remaining = remaining(take->per_day, s->day_used);
  taken->minute_reset_ms = (s->count > 0 ? charge_of(s, 0)->at_ms : now) + WINDOW_MS;
  taken->day_reset_ms = (s->day + 1) * DAY_MS;
  return KB_OK;
}

/* Returns `count` with `estimate` replaced by `used`, clamped to the range of the type. */
static uint64_t corrected(uint64_t count, uint64_t estimate, uint64_t used) {
  const uint64_t rest = count > estimate ? count - estimate : 0;
  return used > UINT64_MAX - rest ? UINT64_MAX : rest + used;
}

/* ---- the table of clients --------------------------------------------------------------------------------------- */

/* An instance. `mutex` guards all members below it. */
struct kb_rate_limit_store {
  const kb_host* host;
  uint32_t max_clients;
  pthread_mutex_t mutex;
  uint32_t* buckets; /* max_clients heads of chains, or NONE */
  client* clients;
  uint32_t client_count;
  uint32_t newest, oldest;
};

/* Client ids are already hashes, but not every bit must be random. This applies the finalizer of SplitMix64 (Steele,
 * Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint32_t* bucket_of(kb_rate_limit_store* store, const uint8_t name[16]) {
  uint64_t low, high, hash;
  memcpy(&low, name, 8);
  memcpy(&high, name + 8, 8);
  hash = low + high * 0x9E3779B97F4A7C15u;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return &store->buckets[(hash ^ (hash >> 31)) % store->max_clients];
}

static void leave_order(kb_rate_limit_store* store, uint32_t index) {
  const client* s = &store->clients[index];
  *(s->newer == NONE ? &store->newest : &store->clients[s->newer].older) = s->older;
  *(s->older == NONE ? &store->oldest : &store->clients[s->older].newer) = s->newer;
}

static void become_newest(kb_rate_limit_store* store, uint32_t index) {
  client* s = &store->clients[index];
  s->newer = NONE;
  s->older = store->newest;
  *(s->older == NONE ? &store->oldest : &store->clients[s->older].newer) = index;
  store->newest = index;
}

static void leave_bucket(kb_rate_limit_store* store, uint32_t index) {
  uint32_t* link = bucket_of(store, store->clients[index].name);
  while (*link != index) link = &store->clients[*link].next_in_bucket;
  *link = store->clients[index].next_in_bucket;
}

static bool is_exhausted(const client* s) {
  return !admits(s->per_minute, s->minute_used, 1) || !admits(s->per_day, s->day_used, 1);
}

/* Frees a slot in the full table: evicts the least recently used client, which can then exceed its limits by the amount
 * that it had used. A client that has used up a limit is not evicted, because eviction would bypass the limit; up to
 * MAX_SKIPPED of them are skipped. NONE: all of these were exhausted; the next call continues after them. */
static uint32_t evict_slot(kb_rate_limit_store* store, int64_t now) {
  int skipped;
  for (skipped = 0; skipped < MAX_SKIPPED; ++skipped) {
    const uint32_t index = store->oldest;
    client* s = &store->clients[index];
    expire(s, now);
    leave_order(store, index);
    if (!is_exhausted(s)) {
      leave_bucket(store, index);
      free(s->charges);
      return index;
    }
    become_newest(store, index);
  }
  return NONE;
}

/* Whether evict_slot would find a slot now. */
static bool has_slot(kb_rate_limit_store* store, int64_t now) {
  uint32_t index = store->oldest;
  int skipped;
  if (store->client_count < store->max_clients) return true;
  for (skipped = 0; skipped < MAX_SKIPPED && index != NONE; ++skipped, index = store->clients[index].newer) {
    expire(&store->clients[index], now);
    if (!is_exhausted(&store->clients[index])) return true;
  }
  return false;
}

/* Returns the slot of a client; NONE: there is no such client. */
static uint32_t index_of(kb_rate_limit_store* store, const uint8_t name[16]) {
  uint32_t index = *bucket_of(store, name);
  while (index != NONE && memcmp(store->clients[index].name, name, 16) != 0)
    index = store->clients[index].next_in_bucket;
  return index;
}

/* Returns the client with this id, creating it if needed; NULL: there is no free slot. */
static client* find_or_create_client(kb_rate_limit_store* store, const uint8_t name[16], int64_t now) {
  uint32_t* bucket = bucket_of(store, name);
  uint32_t index = index_of(store, name);
  if (index != NONE) {
    leave_order(store, index);
  } else {
    index = store->client_count < store->max_clients ? store->client_count++ : evict_slot(store, now);
    if (index == NONE) return NULL;
    memset(&store->clients[index], 0, sizeof store->clients[index]);
    memcpy(store->clients[index].name, name, 16);
    store->clients[index].next_in_bucket = *bucket;
    *bucket = index;
  }
  become_newest(store, index);
  expire(&store->clients[index], now);
  return &store->clients[index];
}

/* ---- the functions of the port ---------------------------------------------------------------------------------- */

static kb_view text(const char* words) {
  kb_view view;
  view.data = words;
  view.size = strlen(words);
  return view;
}

static kb_status explained(kb_call* call, kb_status status, const char* message, const char* detail) {
  kb_explanation why;
  memset(&why, 0, sizeof why);
  why.struct_size = sizeof why;
  why.message = text(message);
  why.detail = text(detail);
  why.parameter = text(status == KB_INVALID_ARGUMENT ? "max_clients" : ""); /* the only setting */
  why.retry_after_ms = status == KB_UNAVAILABLE ? WINDOW_MS : 0;
  call->host->explain(call, &why);
  return status;
}

/* Returns the client, or an empty one in `scratch` if it does not exist, without creating or moving one. NULL: there
 * is no free slot. */
static client* find_client(kb_rate_limit_store* store, const uint8_t name[16], int64_t now, client* scratch) {
  const uint32_t index = index_of(store, name);
  client* s = index != NONE ? &store->clients[index] : scratch;
  memset(scratch, 0, sizeof *scratch);
  if (index == NONE && !has_slot(store, now)) return NULL;
  expire(s, now);
  return s;
}

static kb_status take_one(kb_rate_limit_store* store, kb_call* call, const kb_take* take, kb_taken* taken) {
  const int64_t now = store->host->wall_ms(store->host);
  client scratch;
  client* s = take->cost > 0 ? find_or_create_client(store, take->subject, now)
                             : find_client(store, take->subject, now, &scratch);
  kb_status status;
  if (s == NULL)
    return explained(call, KB_UNAVAILABLE, "too many clients have used up their limits; try again later",
                     "the places of max_clients are held by clients that have used up a limit; raise it");
  status = acquire_from(s, now, take, taken);
  return status == KB_OK ? status : explained(call, status, "out of memory", "no memory to count requests in");
}

static kb_status take_all(kb_rate_limit_store* store, kb_call* call, const kb_take* const* takes,
                          kb_taken* const* taken, size_t count) {
  kb_status status = KB_OK;
  size_t i;
  pthread_mutex_lock(&store->mutex);
  for (i = 0; i < count && status == KB_OK; ++i) status = take_one(store, call, takes[i], taken[i]);
  pthread_mutex_unlock(&store->mutex);
  return status;
}

static kb_status adjust(kb_rate_limit_store* store, kb_call* call, const kb_take* take, const kb_taken* taken,
                        uint64_t used) {
  (void)call;
  if (!taken->allowed || take->cost == 0 || take->per_day == 0) return KB_OK;
  pthread_mutex_lock(&store->mutex);
  {
    const uint32_t index = index_of(store, take->subject);
    client* s = index != NONE ? &store->clients[index] : NULL;
    if (s != NULL && (s->day + 1) * DAY_MS == taken->day_reset_ms)
      s->day_used = corrected(s->day_used, take->cost, used);
  }
  pthread_mutex_unlock(&store->mutex);
  return KB_OK;
}

static kb_status health(kb_rate_limit_store* store, kb_call* call) {
  (void)store;
  (void)call;
  return KB_OK;
}

static void destroy(kb_rate_limit_store* store) {
  uint32_t i;
  for (i = 0; i < store->client_count; ++i) free(store->clients[i].charges);
  pthread_mutex_destroy(&store->mutex);
  free(store->clients);
  free(store->buckets);
  free(store);
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

static const char schema[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\"max_clients\":{\"type\":\"integer\","
    "\"minimum\":1,\"maximum\":10000000,\"default\":100000,\"description\":\"Keys and addresses counted at a time, "
    "some 100 bytes each; past it those seen longest ago are forgotten first.\"}}}";

/* The unread rest of a JSON text. */
typedef struct reader {
  const char *at, *end;
} reader;

/* Skips white space, then `word`. False: something else follows. */
static bool skip(reader* in, const char* word) {
  const size_t size = strlen(word);
  while (in->at < in->end && (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t')) ++in->at;
  if ((size_t)(in->end - in->at) < size || (size > 0 && memcmp(in->at, word, size) != 0)) return false;
  in->at += size;
  return true;
}

/* Parses the settings. The server has checked them against the schema, so the only possible texts are {} and
 * {"max_clients": 1000}. False: the text is something else. */
static bool read_max_clients(kb_view config, uint32_t* out) {
  reader in;
  uint32_t number = 0;
  in.at = config.data;
  in.end = config.size == 0 ? config.data : config.data + config.size;
  *out = DEFAULT_MAX_SUBJECTS;
  if (skip(&in, "{") && !skip(&in, "}")) {
    if (!skip(&in, "\"max_clients\"") || !skip(&in, ":") || !skip(&in, "")) return false;
    for (; in.at < in.end && *in.at >= '0' && *in.at <= '9' && number <= LARGEST_MAX_SUBJECTS; ++in.at)
      number = number * 10 + (uint32_t)(*in.at - '0');
    if (number == 0 || number > LARGEST_MAX_SUBJECTS || !skip(&in, "}")) return false;
    *out = number;
  }
  return skip(&in, "") && in.at == in.end;
}

static kb_status create(const kb_host* host, kb_call* call, kb_view config, kb_rate_limit_store** instance) {
  kb_rate_limit_store* store;
  uint32_t max_clients;
  if (!read_max_clients(config, &max_clients))
    return explained(call, KB_INVALID_ARGUMENT, "must be a whole number from 1 to 10000000", "");
  store = calloc(1, sizeof *store);
  if (store == NULL) return explained(call, KB_NO_MEMORY, "out of memory", "");
  pthread_mutex_init(&store->mutex, NULL);
  store->host = host;
  store->max_clients = max_clients;
  store->newest = store->oldest = NONE;
  store->buckets = malloc(max_clients * sizeof *store->buckets);
  store->clients = calloc(max_clients, sizeof *store->clients); /* unused pages cost no memory */
  if (store->buckets == NULL || store->clients == NULL) {
    destroy(store);
    return explained(call, KB_NO_MEMORY, "out of memory", "no memory for so many clients; lower max_clients");
  }
  memset(store->buckets, 0xFF, max_clients * sizeof *store->buckets); /* NONE */
  *instance = store;
  return KB_OK;
}

/* ---- the exported table ----------------------------------------------------------------------------------------- */

static const kb_rate_limit_store_v1 table = {
    sizeof(kb_rate_limit_store_v1), KB_RATE_LIMIT_INLINE_TAKE, 0, 0, schema, create, destroy, health, take_all, adjust};

static const void* get_port(const char* port_id) {
  return strcmp(port_id, KB_PORT_RATE_LIMIT_STORE) == 0 ? &table : NULL;
}

static const kb_plugin plugin = {sizeof(kb_plugin), KB_ABI_MAJOR, KB_ABI_MINOR, "org.kbase.example.c-rate-limit",
                                 "1.0.0",           "kbase",      "Apache-2.0", get_port};

const kb_plugin* kb_plugin_entry(void) { return &plugin; }
