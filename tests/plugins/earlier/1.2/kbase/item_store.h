/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/item_store.h: port kbase.item_store/1. Generated from ports/definitions/item_store.port.
 *
 * The content: items and categories, and the feed of their changes. Every search index is built from it.
 *
 * Ids and names are ordered by their bytes, and every order ends with the id. A slice past the end is empty. Every
 * call reads one snapshot. A batch becomes visible as a whole or not at all, and readers never wait for a writer. A
 * call that fails may have called its sink before. */
#ifndef KBASE_ITEM_STORE_H
#define KBASE_ITEM_STORE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_ITEM_STORE "kbase.item_store/1"

/* get, summaries, recent, category, categories, totals and category_views never block. */
#define KB_ITEM_STORE_INLINE_READS 1u

#define KB_ITEM_STORE_CAN_PERSIST 1u /* The content survives the process. */
#define KB_ITEM_STORE_CAN_WAIT 2u /* wait is available. */
#define KB_ITEM_STORE_CAN_LEASE 4u /* try_lease is available. */
#define KB_ITEM_STORE_CAN_DESCRIBE 8u /* The members of kb_item from `url` on are kept. */
#define KB_ITEM_STORE_CAN_SYNONYMS 16u /* synonyms and set_synonyms are available. */

/* Ids are 1 to 256 bytes without control characters, neither "." nor "..". Every text is valid UTF-8 and, except for
 * ids, may be empty. Days are days since 1970-01-01. */
typedef struct kb_item {
  uint32_t struct_size;
  uint32_t reserved;
  kb_view id;
  kb_view title;
  kb_view category;
  kb_view lead; /* the start of the content as plain text, up to 240 code points */
  const kb_view* tags;
  size_t tag_count;
  kb_view author;
  int32_t created_day;
  int32_t updated_day;
  uint64_t views; /* the imported count */
  kb_view further; /* further members of the metadata: an opaque text of at most 16 KiB */
  uint64_t revision; /* of the item's last change; ignored where an item is put */
  kb_view content; /* empty in a summary */
  const kb_view* related; /* empty in a summary */
  size_t related_count;
  kb_view url; /* public address of the page (http or https) */
  kb_view language; /* BCP 47 */
  kb_view version; /* of the product that the item describes */
  kb_view summary; /* what the author says of the item; empty in a summary */
  const kb_view* aliases; /* further names, searched like the title; empty in a summary */
  size_t alias_count;
  kb_view format; /* of the content: "markdown", "html" or "text"; empty: "markdown" */
  const kb_view* sections; /* "LEVEL BEGIN ANCHOR HEADING"; BEGIN is the byte of the item's text at which it begins */
  size_t section_count;
  kb_view source; /* name of the source that brought the item; empty in a summary */
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
  uint64_t revision; /* of the last change of the category's own record; ignored where one is put */
} kb_category;

#define KB_CHANGE_ITEM_PUT 0
#define KB_CHANGE_ITEM_REMOVED 1
#define KB_CHANGE_CATEGORY_PUT 2
#define KB_CHANGE_CATEGORY_REMOVED 3

/* A record of the changes feed: its newest state, or its removal. */
typedef struct kb_change {
  uint32_t struct_size;
  int32_t kind;
  kb_view id;
  uint64_t revision;
  const kb_item* item; /* of KB_CHANGE_ITEM_PUT, else NULL */
  const kb_category* category; /* of KB_CHANGE_CATEGORY_PUT, else NULL */
} kb_change;

/* Words that mean the same. A text has 1 to 128 bytes, and may be several words separated by spaces. */
typedef struct kb_synonyms {
  uint32_t struct_size;
  uint32_t reserved;
  /* not empty: a query with it also finds `words`, not the other way round; empty: each of `words` also finds the
   * others */
  kb_view from;
  const kb_view* words;
  size_t word_count;
  kb_view source; /* name of the source that brought them */
} kb_synonyms;

typedef struct kb_store_totals {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t items;
  uint64_t categories;
  uint64_t views; /* imported ones */
  uint64_t recent_additions; /* items created from today - 6 to today */
} kb_store_totals;

/* Filled in by the plugin, as far as struct_size reaches. */
typedef struct kb_lease {
  uint32_t struct_size;
  uint32_t is_held; /* 1: the caller's owner holds it; 0: another owner holds and keeps it */
} kb_lease;

typedef int32_t (*kb_item_sink)(void* data, const kb_item* item);

typedef int32_t (*kb_category_sink)(void* data, const kb_category* category);

typedef int32_t (*kb_change_sink)(void* data, const kb_change* change);

typedef int32_t (*kb_synonyms_sink)(void* data, const kb_synonyms* synonyms);

typedef int32_t (*kb_category_views_sink)(void* data, kb_view id, kb_view name, uint64_t views);

typedef struct kb_item_store kb_item_store;

typedef struct kb_item_writer kb_item_writer;

typedef struct kb_item_store_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_item_store** instance);
  void (*destroy)(kb_item_store* store);
  kb_status (*health)(kb_item_store* store, kb_call* call);

  /* The store id: 128 random bits, generated when the store is created (for a store that does not persist: at
   * create). An index with another store id belongs to other content. Never fails. */
  void (*lineage)(kb_item_store* store, uint8_t out[16]);

  /* The newest committed revision; 0 for a store that never changed. Called five times a second. */
  kb_status (*revision)(kb_item_store* store, kb_call* call, uint64_t* out);

  /* Blocks until revision() is above `after` or the deadline has passed, whichever is first; KB_OK in both cases.
   * NULL, or KB_UNSUPPORTED: the server polls revision() instead. */
  kb_status (*wait)(kb_item_store* store, kb_call* call, uint64_t after);

  /* The complete item. KB_NOT_FOUND. */
  kb_status (*get)(kb_item_store* store, kb_call* call, kb_view id, kb_item_sink sink, void* data);

  /* The summaries of `ids`, in the order of `ids`, duplicates included. Missing items are skipped. */
  kb_status (*summaries)(kb_item_store* store, kb_call* call, const kb_view* ids, size_t id_count, kb_item_sink sink,
                         void* data);

  /* Summaries, newest updated_day first, then newest created_day, then id: of the category's own items, or of all
   * items where `category` is NULL. An unknown category has none. */
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
   * revision. `*up_to` is the revision of the snapshot, set on KB_OK only. From 0: every record that exists, and no
   * tombstones. KB_GONE: tombstones after `after` were dropped; they are kept for at least 30 days. */
  kb_status (*changes)(kb_item_store* store, kb_call* call, uint64_t after, kb_change_sink sink, void* data,
                       uint64_t* up_to);

  /* Starts the single batch over all processes that share the store. KB_CONFLICT, with a sentence for the operator:
   * another batch is open and did not end within 5 s or by the deadline. KB_UNSUPPORTED: the store is read-only. */
  kb_status (*begin)(kb_item_store* store, kb_call* call, kb_item_writer** writer);

  /* --- A batch. One thread at a time; nothing is visible before commit. After a failure of any of these functions
   * only abort is called. A killed process has the same effect as abort. --- */

  /* The items as the batch would leave them. */
  kb_status (*read)(kb_item_writer* writer, kb_call* call, const kb_view* ids, size_t id_count, kb_item_sink sink,
                    void* data);

  /* The category as the batch would leave it. KB_NOT_FOUND. */
  kb_status (*read_category)(kb_item_writer* writer, kb_call* call, kb_view id, kb_category_sink sink, void* data);

  /* Inserts or replaces complete records. Each gets the next revision, in the given order, even if nothing changed.
   * The category of an item exists already. */
  kb_status (*put)(kb_item_writer* writer, kb_call* call, const kb_item* const* items, size_t item_count);

  kb_status (*put_category)(kb_item_writer* writer, kb_call* call, const kb_category* category);

  /* Leaves a tombstone with the next revision. KB_NOT_FOUND: there is no such record, and nothing changed.
   * KB_INVALID_ARGUMENT: the category still has items. */
  kb_status (*remove)(kb_item_writer* writer, kb_call* call, kb_view id);

  kb_status (*remove_category)(kb_item_writer* writer, kb_call* call, kb_view id);

  /* Makes the batch visible, and durable where the store persists. Ends the writer on KB_OK and sets `*revision` to
   * the store's revision; after a failure abort follows. */
  kb_status (*commit)(kb_item_writer* writer, kb_call* call, uint64_t* revision);

  /* Ends the writer, whatever the outcome of the call. Nothing of the batch is kept. */
  void (*abort)(kb_item_writer* writer, kb_call* call);

  /* --- Not part of a batch. --- */

  /* Acquires or renews the lease `name` for `owner` until `ttl_ms` from now, by a clock that all servers of the
   * store share, and fills in `lease`. A `ttl_ms` of 0 releases the lease if `owner` holds it. Both are texts of 1
   * to 256 bytes; an owner is a process. A lease is as durable as content and expires by itself. NULL: there are no
   * leases. */
  kb_status (*try_lease)(kb_item_store* store, kb_call* call, kb_view name, kb_view owner, uint64_t ttl_ms,
                         kb_lease* lease);

  /* The synonyms of the base, in the order in which they were set. NULL: the store keeps none. */
  kb_status (*synonyms)(kb_item_store* store, kb_call* call, kb_synonyms_sink sink, void* data);

  /* Replaces the synonyms of the base, as a part of the batch, with the next revision. They are no records of the
   * changes feed. At most 10,000. */
  kb_status (*set_synonyms)(kb_item_writer* writer, kb_call* call, const kb_synonyms* const* synonyms,
                            size_t synonyms_count);
} kb_item_store_v1;

#ifdef __cplusplus
}
#endif

#endif
