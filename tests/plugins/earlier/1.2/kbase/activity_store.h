/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/activity_store.h: port kbase.activity_store/1. Generated from ports/definitions/activity_store.port.
 *
 * The counted views by item and UTC day. Item ids are not checked against an item store: views of a deleted item
 * stay, and count again when it comes back. Days are days since 1970-01-01. */
#ifndef KBASE_ACTIVITY_STORE_H
#define KBASE_ACTIVITY_STORE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_ACTIVITY_STORE "kbase.activity_store/1"

#define KB_ACTIVITY_STORE_CAN_PERSIST 1u /* Counts survive the process. */

/* Views of one item on one day. This struct never grows. */
typedef struct kb_view_count {
  kb_view item;
  uint64_t views;
  int32_t day; /* 0 where a count covers several days */
  int32_t reserved;
} kb_view_count;

typedef int32_t (*kb_view_count_sink)(void* data, const kb_view_count* count);

/* The last sequence number of a journal. */
typedef struct kb_journal_mark {
  uint32_t struct_size;
  uint32_t reserved;
  uint8_t journal[16];
  uint64_t sequence;
} kb_journal_mark;

typedef int32_t (*kb_journal_mark_sink)(void* data, const kb_journal_mark* mark);

typedef struct kb_activity_store kb_activity_store;

typedef struct kb_activity_store_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_activity_store** instance);
  void (*destroy)(kb_activity_store* store);
  kb_status (*health)(kb_activity_store* store, kb_call* call);

  /* Adds all of `counts` or none, durably. In the same step the store remembers `sequence` for the journal, which is
   * identified by 128 random bits. A sequence not above the remembered one changes nothing and returns KB_OK, so a
   * server that lost the response sends the call again. The store may forget a journal 30 days after its last call. */
  kb_status (*add)(kb_activity_store* store, kb_call* call, const uint8_t journal[16], uint64_t sequence,
                   const kb_view_count* counts, size_t count);

  /* Replaces every counted day of `item`; of each element of `days` only day and views are read. */
  kb_status (*set)(kb_activity_store* store, kb_call* call, kb_view item, const kb_view_count* days, size_t day_count);

  /* Grows with every add and set that changed something. */
  kb_status (*revision)(kb_activity_store* store, kb_call* call, uint64_t* out);

  /* The total of each item whose views changed after revision `after` (0: of every viewed item). `*up_to` is the
   * revision up to which the sink has received every change. */
  kb_status (*totals)(kb_activity_store* store, kb_call* call, uint64_t after, kb_view_count_sink sink, void* data,
                      uint64_t* up_to);

  /* Items with views from day `first` to `last`, both included: most views first, then by id. */
  kb_status (*top)(kb_activity_store* store, kb_call* call, int32_t first, int32_t last, kb_view_count_sink sink,
                   void* data);

  /* The sum over all items for each day from `first` to `last` that has views, oldest first; `item` is empty. */
  kb_status (*daily)(kb_activity_store* store, kb_call* call, int32_t first, int32_t last, kb_view_count_sink sink,
                     void* data);

  /* Every count, by item id, then day. */
  kb_status (*days)(kb_activity_store* store, kb_call* call, kb_view_count_sink sink, void* data);

  /* Every remembered journal, then every count as `days` returns them, from one snapshot. Both sinks receive `data`.
   * A backup is made from it: its journals prevent that an add which the backup contains counts again. NULL: backups
   * contain the counts only. */
  kb_status (*snapshot)(kb_activity_store* store, kb_call* call, kb_journal_mark_sink journals,
                        kb_view_count_sink counts, void* data);
} kb_activity_store_v1;

#ifdef __cplusplus
}
#endif

#endif
