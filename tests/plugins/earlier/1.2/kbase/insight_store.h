/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/insight_store.h: port kbase.insight_store/1. Generated from ports/definitions/insight_store.port.
 *
 * What readers searched for, and what they said of items, by UTC day. The server passes a query only once enough
 * different clients asked it, and never who asked. Each call is atomic among all processes that share the store, and
 * durable on KB_OK. Days are days since 1970-01-01. */
#ifndef KBASE_INSIGHT_STORE_H
#define KBASE_INSIGHT_STORE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_INSIGHT_STORE "kbase.insight_store/1"

#define KB_INSIGHT_STORE_CAN_PERSIST 1u /* Counts and feedback survive the process. */

/* How often a query was asked on one day. This struct never grows. */
typedef struct kb_query_count {
  kb_view query; /* 1 to 200 bytes */
  uint64_t searches;
  uint64_t without_result;
  uint64_t with_click; /* searches after which a result was read */
  int32_t day;
  int32_t reserved;
} kb_query_count;

typedef int32_t (*kb_query_count_sink)(void* data, const kb_query_count* count);

/* What a reader said of an item. */
typedef struct kb_feedback {
  uint32_t struct_size;
  uint32_t is_helpful;
  uint8_t reader[16]; /* hash of who said it; all zeros once its day is over */
  kb_view item;
  kb_view comment; /* up to 2,000 bytes; empty: none */
  int32_t day;
  uint32_t reserved;
} kb_feedback;

typedef int32_t (*kb_feedback_sink)(void* data, const kb_feedback* feedback);

typedef struct kb_insight_store kb_insight_store;

typedef struct kb_insight_store_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_insight_store** instance);
  void (*destroy)(kb_insight_store* store);
  kb_status (*health)(kb_insight_store* store, kb_call* call);

  /* Adds the counts to those that are stored. If it is unknown whether they were added, the server does not send the
   * call again. */
  kb_status (*add_queries)(kb_insight_store* store, kb_call* call, const kb_query_count* counts, size_t count);

  /* The counts from day `first` to `last`, both included, by query, then day. */
  kb_status (*queries)(kb_insight_store* store, kb_call* call, int32_t first, int32_t last, kb_query_count_sink sink,
                       void* data);

  /* Replaces what the same reader said of the item on the same day. */
  kb_status (*put_feedback)(kb_insight_store* store, kb_call* call, const kb_feedback* feedback);

  /* The feedback from day `first` to `last`, both included: the latest day first, then by item. */
  kb_status (*feedback)(kb_insight_store* store, kb_call* call, int32_t first, int32_t last, kb_feedback_sink sink,
                        void* data);

  /* Deletes counts and feedback of days before `first`, and replaces the readers of days before `today` by zeros. */
  kb_status (*forget)(kb_insight_store* store, kb_call* call, int32_t first, int32_t today);
} kb_insight_store_v1;

#ifdef __cplusplus
}
#endif

#endif
