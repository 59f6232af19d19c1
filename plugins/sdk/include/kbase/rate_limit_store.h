/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/rate_limit_store.h: port kbase.rate_limit_store/1, the ledger of requests. Two windows for each subject: any 60
 * seconds (a request counts while now - t < 60,000 ms) and the UTC day. A take charges both or neither, and never
 * admits one more than a limit, whoever asks at the same time. A clock that steps back keeps what is counted in the
 * minute for 60 seconds at most, and a newer day where that begins within an hour; what was charged in a day further
 * ahead counts as charged today. Time is kb_host.wall_ms, or the clock of a server that several processes share.
 *
 * A store may bound how many subjects it remembers. A full one gives a newcomer the place of a subject with nothing
 * counted, else of one with much left, never of one that has used up a limit. Where there is no such place it charges
 * the newcomer to the shared account of its group; without a group, or where it has no shared accounts, it answers
 * KB_UNAVAILABLE.
 */
#ifndef KBASE_RATE_LIMIT_STORE_H
#define KBASE_RATE_LIMIT_STORE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_RATE_LIMIT_STORE "kbase.rate_limit_store/1"

#define KB_RATE_LIMIT_INLINE_TAKE 1u
#define KB_RATE_LIMIT_CAN_SHARE 1u /* several processes count together */

#define KB_ACCOUNT_OWN 0u
#define KB_ACCOUNT_SHARED 1u /* the group's: its subjects without a place have it in common */

/* A question: may this subject make `cost` more requests? */
typedef struct kb_take {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t cost;       /* 0: only look, at the account that a charge would find; nobody loses a place by it */
  uint64_t per_minute; /* limits of the subject's plan now; 0: no such limit. A count never changes because they do. */
  uint64_t per_day;
  uint8_t subject[16]; /* a hash: a store sees neither keys nor addresses */
  uint8_t group[16];   /* a hash of the subject's network, whose shared account pays where a store that remembers so
                          many subjects and no more has no place for this one; all zeros: it is in none */
} kb_take;

/* The answer: the windows after the take. Of a window without a limit the members mean nothing. Instants are
 * milliseconds since 1970-01-01T00:00:00Z. */
typedef struct kb_taken {
  uint32_t struct_size;
  uint32_t allowed; /* 0: nothing was charged, and a window that denied has fewer remaining than the cost */
  uint64_t minute_remaining;
  uint64_t day_remaining;
  int64_t minute_reset_ms; /* when the oldest counted request leaves the window; none counted: now + 60,000 */
  int64_t day_reset_ms;    /* the next UTC midnight */
  uint32_t account;        /* KB_ACCOUNT_...: which was asked and, where it is allowed, charged */
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

  /* Answers takes[i] in taken[i], each atomic by itself, in that order where they name one subject. What nobody
   * knows whether it was charged is not sent twice. */
  kb_status (*take)(kb_rate_limit_store* store, kb_call* call, const kb_take* const* takes, kb_taken* const* taken,
                    size_t count);

  /* Makes of a charge that was an estimate what was `used` of its cost; `take` and `taken` are what it was asked and
   * answered. The count of the day that ends at taken->day_reset_ms is corrected, by more than is left where more was
   * used; where that day is over or the subject is forgotten, nothing changes. The minute keeps the estimate. Nothing
   * either where the take was denied, was a look, or had no limit of the day. Called once for each take at most, and
   * not again where nobody knows whether it was done. NULL: estimates stay charged. */
  kb_status (*settle)(kb_rate_limit_store* store, kb_call* call, const kb_take* take, const kb_taken* taken,
                      uint64_t used);
} kb_rate_limit_store_v1;

#ifdef __cplusplus
}
#endif

#endif
