/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/rate_limit_store.h: port kbase.rate_limit_store/1. Generated from ports/definitions/rate_limit_store.port.
 *
 * The rate limiter. Each client has two windows: any 60 seconds (a request counts while now - t < 60,000 ms) and the
 * UTC day. A call charges both windows or neither, and never admits one request more than a limit, however many
 * calls race. If the clock steps back, the counts of the minute stay for 60 seconds at most; a newer day stays where
 * it begins within an hour, and what was charged to a day further ahead counts as charged today. Time is
 * kb_host.wall_ms, or the clock of a server that several processes share.
 *
 * A store may bound the number of clients that it remembers. A full store gives a new client the slot of a client
 * without counted requests, else of one with much left, never of one that has used up a limit. Where there is no
 * such slot it charges the new client to the shared account of its group; without a group, or without shared
 * accounts, it returns KB_UNAVAILABLE. */
#ifndef KBASE_RATE_LIMIT_STORE_H
#define KBASE_RATE_LIMIT_STORE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_RATE_LIMIT_STORE "kbase.rate_limit_store/1"

#define KB_RATE_LIMIT_INLINE_TAKE 1u /* take never blocks. */

#define KB_RATE_LIMIT_CAN_SHARE 1u /* Several processes count together. */

#define KB_ACCOUNT_OWN 0u
#define KB_ACCOUNT_SHARED 1u /* the fallback bucket: shared by the clients of a group that have no slot */

/* A request to the rate limiter: may this client make `cost` more requests? */
typedef struct kb_take {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t cost; /* 0: only look, at the account that a charge would use; no client loses its slot */
  uint64_t per_minute; /* limits of the client's plan now; 0: no such limit. They never change a count. */
  uint64_t per_day;
  uint8_t subject[16]; /* the client, as a hash: a store sees neither keys nor addresses */
  /* a hash of the client's network, whose shared account is charged where the store has no slot for the client; all
   * zeros: the client has no group */
  uint8_t group[16];
} kb_take;

/* The decision: the windows after the call. The members of a window without a limit have no meaning. Instants are
 * milliseconds since 1970-01-01T00:00:00Z. */
typedef struct kb_taken {
  uint32_t struct_size;
  uint32_t allowed; /* 0: nothing was charged, and a window that denied has fewer remaining than the cost */
  uint64_t minute_remaining;
  uint64_t day_remaining;
  int64_t minute_reset_ms; /* when the oldest counted request leaves the window; none counted: now + 60,000 */
  int64_t day_reset_ms; /* the next UTC midnight */
  uint32_t account; /* KB_ACCOUNT_...: which was asked and, where it is allowed, charged */
  uint32_t reserved;
} kb_taken;

typedef struct kb_rate_limit_store kb_rate_limit_store;

typedef struct kb_rate_limit_store_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_rate_limit_store** instance);
  void (*destroy)(kb_rate_limit_store* store);
  kb_status (*health)(kb_rate_limit_store* store, kb_call* call);

  /* Answers takes[i] in taken[i], each atomically, in this order where they name one client. If it is unknown
   * whether a request was charged, the server does not send it again. */
  kb_status (*take)(kb_rate_limit_store* store, kb_call* call, const kb_take* const* takes, kb_taken* const* taken,
                    size_t count);

  /* Adjusts a charge that was an estimate to the amount `used`; `take` and `taken` are the request and its decision.
   * The count of the day that ends at taken->day_reset_ms is corrected, beyond its limit where more was used. If
   * that day is over or the client is forgotten, nothing changes. The minute keeps the estimate. Nothing changes
   * either if the request was denied, was a look, or had no limit of the day. Called at most once for each request,
   * and not again if the outcome is unknown. NULL: estimates stay charged. */
  kb_status (*settle)(kb_rate_limit_store* store, kb_call* call, const kb_take* take, const kb_taken* taken,
                      uint64_t used);
} kb_rate_limit_store_v1;

#ifdef __cplusplus
}
#endif

#endif
