/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/item_store.h: port kbase.item_store/1, the content: items and categories, and the feed of their changes. It is
 * the truth that every search index is made of.
 *
 * Orders: ids and names by their bytes; every order ends with the id. A slice past the end is empty. Every call reads
 * one snapshot; a batch shows whole or not at all, and readers never wait for a writer. After a failure a sink may have
 * been called already.
 */
#ifndef KBASE_ITEM_STORE_H
#define KBASE_ITEM_STORE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_ITEM_STORE "kbase.item_store/1"

#define KB_ITEM_STORE_INLINE_READS 1u /* get, summaries, recent, category, categories, totals, category_views */

#define KB_ITEM_STORE_CAN_PERSIST 1u /* content survives the process */
#define KB_ITEM_STORE_CAN_WAIT 2u    /* wait is there */
#define KB_ITEM_STORE_CAN_LEASE 4u   /* try_lease is there */

/* Ids: 1 to 256 bytes without control characters, neither "." nor "..". Every text is valid UTF-8 and may be empty,
 * save the ids. Days are days since 1970-01-01. */
typedef struct kb_item {
  uint32_t struct_size;
  uint32_t reserved;
  kb_view id;
  kb_view title;
  kb_view category;
  kb_view lead; /* the start of the content as plain text: up to 240 code points. Stores keep what they are given. */
  const kb_view* tags;
  size_t tag_count;
  kb_view author;
  int32_t created_day;
  int32_t updated_day;
  uint64_t views;    /* the imported count */
  kb_view further;   /* further members of the metadata: an opaque text of at most 16 KiB */
  uint64_t revision; /* of the item's last change; ignored where an item is put */
  kb_view content;   /* empty in a summary, which is all but content and related */
  const kb_view* related;
  size_t related_count;
} kb_item;

typedef struct kb_category {
  uint32_t struct_size;
  uint32_t reserved;
  kb_view id;
  kb_view name;
  kb_view description;
  kb_view icon;
  const kb_view* subcategories;
  size_t subcategory_count;
  uint64_t item_count; /* the category's own items; ignored where a category is put */
  uint64_t revision;   /* of the last change of the category's own record; ignored where a category is put */
} kb_category;

#define KB_CHANGE_ITEM_PUT 0
#define KB_CHANGE_ITEM_REMOVED 1
#define KB_CHANGE_CATEGORY_PUT 2
#define KB_CHANGE_CATEGORY_REMOVED 3

/* A record as the changes feed tells it: its newest state, or that it is gone. */
typedef struct kb_change {
  uint32_t struct_size;
  int32_t kind;
  kb_view id;
  uint64_t revision;
  const kb_item* item;         /* of KB_CHANGE_ITEM_PUT, else NULL */
  const kb_category* category; /* of KB_CHANGE_CATEGORY_PUT, else NULL */
} kb_change;

typedef struct kb_store_totals {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t items;
  uint64_t categories;
  uint64_t views;            /* imported ones */
  uint64_t recent_additions; /* items created from today - 6 to today */
} kb_store_totals;

/* Filled in by the plugin, as far as struct_size reaches. */
typedef struct kb_lease {
  uint32_t struct_size;
  uint32_t is_held; /* 1: by the owner who asked; 0: another has it and keeps it */
} kb_lease;

typedef int32_t (*kb_item_sink)(void* data, const kb_item* item);
typedef int32_t (*kb_category_sink)(void* data, const kb_category* category);
typedef int32_t (*kb_change_sink)(void* data, const kb_change* change);
typedef int32_t (*kb_category_views_sink)(void* data, kb_view id, kb_view name, uint64_t views);

typedef struct kb_item_store kb_item_store;   /* an instance: yours */
typedef struct kb_item_writer kb_item_writer; /* a batch: yours */

typedef struct kb_item_store_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_item_store** instance);
  void (*destroy)(kb_item_store* store);
  kb_status (*health)(kb_item_store* store, kb_call* call);

  /* 128 random bits, made once when the store is created (by one that does not persist: at create): indexes of another
   * lineage belong to other content. Never fails. */
  void (*lineage)(kb_item_store* store, uint8_t out[16]);

  /* The newest committed revision, 0 in a store that never changed. Asked five times a second. */
  kb_status (*revision)(kb_item_store* store, kb_call* call, uint64_t* out);

  /* Waits until revision() is above `after` or the deadline has passed, whichever is first; either is KB_OK. NULL, or
   * KB_UNSUPPORTED: the server asks revision() instead. */
  kb_status (*wait)(kb_item_store* store, kb_call* call, uint64_t after);

  /* The whole item. KB_NOT_FOUND. */
  kb_status (*get)(kb_item_store* store, kb_call* call, kb_view id, kb_item_sink sink, void* data);

  /* The summaries of `ids` in the order asked for, an id asked for twice twice; missing ones are left out. */
  kb_status (*summaries)(kb_item_store* store, kb_call* call, const kb_view* ids, size_t id_count, kb_item_sink sink,
                         void* data);

  /* Summaries, newest updated_day first, then newest created_day, then id: of one category's own items, or of all where
   * `category` is NULL. An unknown category has none. */
  kb_status (*recent)(kb_item_store* store, kb_call* call, const kb_view* category, uint64_t offset, uint64_t limit,
                      kb_item_sink sink, void* data);

  /* KB_NOT_FOUND. */
  kb_status (*category)(kb_item_store* store, kb_call* call, kb_view id, kb_category_sink sink, void* data);

  /* Ordered by name, then id. */
  kb_status (*categories)(kb_item_store* store, kb_call* call, uint64_t offset, uint64_t limit, kb_category_sink sink,
                          void* data);

  kb_status (*totals)(kb_item_store* store, kb_call* call, int32_t today, kb_store_totals* out);

  /* The imported views of each category, in any order. */
  kb_status (*category_views)(kb_item_store* store, kb_call* call, kb_category_views_sink sink, void* data);

  /* Each record that changed after revision `after`, once, as its newest state or a tombstone, in the order of its
   * revision; `*up_to` is the snapshot's revision. From 0: every record there is, and no tombstones. KB_GONE:
   * tombstones after `after` were dropped (they live at least 30 days). `*up_to` is set on KB_OK alone. */
  kb_status (*changes)(kb_item_store* store, kb_call* call, uint64_t after, kb_change_sink sink, void* data,
                       uint64_t* up_to);

  /* Starts the one batch over all processes that share the store. KB_CONFLICT, with a sentence for the operator:
   * another one is under way and did not end within 5 s, or by the deadline. KB_UNSUPPORTED: the store is read-only. */
  kb_status (*begin)(kb_item_store* store, kb_call* call, kb_item_writer** writer);

  /* --- a batch: one thread at a time, and nobody else sees it before commit. After a failure of any of these only
   * abort is called. Being killed is as good as abort. --- */

  /* The items, or the category, as the batch would leave them. */
  kb_status (*read)(kb_item_writer* writer, kb_call* call, const kb_view* ids, size_t id_count, kb_item_sink sink,
                    void* data);
  kb_status (*read_category)(kb_item_writer* writer, kb_call* call, kb_view id, kb_category_sink sink, void* data);

  /* Inserts or replaces whole records; each gets the next revision, in the order given, though it be what was there. An
   * item's category exists by then. */
  kb_status (*put)(kb_item_writer* writer, kb_call* call, const kb_item* const* items, size_t item_count);
  kb_status (*put_category)(kb_item_writer* writer, kb_call* call, const kb_category* category);

  /* Leaves a tombstone with the next revision. KB_NOT_FOUND: nothing was there, and nothing changed.
   * KB_INVALID_ARGUMENT: the category still has items. */
  kb_status (*remove)(kb_item_writer* writer, kb_call* call, kb_view id);
  kb_status (*remove_category)(kb_item_writer* writer, kb_call* call, kb_view id);

  /* Makes the batch durable, where the store persists, and visible at once. Ends the writer on KB_OK, and `*revision`
   * is the store's; on a failure abort follows. */
  kb_status (*commit)(kb_item_writer* writer, kb_call* call, uint64_t* revision);

  /* Ends the writer, whatever the call comes to; what was not committed leaves no trace. */
  void (*abort)(kb_item_writer* writer, kb_call* call);

  /* --- no part of a batch --- */

  /* Takes or renews the lease of `name` for `owner` until `ttl_ms` from now, by a clock that all who share the store
   * agree on, and fills in `lease`. A `ttl_ms` of 0 gives back what `owner` holds. Both are texts of 1 to 256 bytes; an
   * owner is a process. Durable as content is; ends by itself. NULL: the store gives no leases. */
  kb_status (*try_lease)(kb_item_store* store, kb_call* call, kb_view name, kb_view owner, uint64_t ttl_ms,
                         kb_lease* lease);
} kb_item_store_v1;

#ifdef __cplusplus
}
#endif

#endif
