/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/search_index.h: port kbase.search_index/1. Generated from ports/definitions/search_index.port.
 *
 * Ranked full-text search over a projection of the item store. It can be discarded and rebuilt at any time. It
 * stores what a hit shows, so a result comes from one snapshot of the index only, and a batch becomes visible as a
 * whole or not at all. A commit of another process to the same index is visible within a second.
 *
 * Matching: an item matches if it has every WORD, PREFIX and ANY_OF of the root in its title, tags or content,
 * regardless of case, accents and inflection. If fewer than `fallback_below` items of the whole index do, before any
 * filter, one of them is enough. PHRASE and NOT always hold. A node without a word after analysis is ignored; if
 * only NOTs are left, nothing matches. There are no stop words. A match in the title weighs more than one in the
 * tags, and that more than one in the content. */
#ifndef KBASE_SEARCH_INDEX_H
#define KBASE_SEARCH_INDEX_H

#include "kbase/activity_store.h"
#include "kbase/item_store.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_SEARCH_INDEX "kbase.search_index/1"

#define KB_SEARCH_INDEX_INLINE_SEARCH 1u /* search and state never block. */
/* search and state of a call with KB_CALL_IS_QUICK never block; other calls may. */
#define KB_SEARCH_INDEX_INLINE_QUICK_SEARCH 2u

#define KB_SEARCH_INDEX_CAN_PERSIST 1u
#define KB_SEARCH_INDEX_CAN_STEM 2u /* Inflected forms match each other; the exact form ranks first. */
#define KB_SEARCH_INDEX_CAN_SEGMENT 4u /* Text of languages without spaces is segmented into words. */
#define KB_SEARCH_INDEX_CAN_CORRECT 8u /* Words that the index lacks match their nearest words. */

#define KB_SEARCH_INDEX_HAS_POPULARITY_LAG 16u /* Counted views may be up to 30 s late; without this bit, 1 s. */

/* Instances of several servers with equal settings share one index: each answers from the commits of all. The server
 * ensures that only one of them at a time begins a batch or calls set_views; the others poll state. */
#define KB_SEARCH_INDEX_IS_SHARED 32u

#define KB_SEARCH_INDEX_CAN_FILTER 64u /* Filters by tag and by day; without this bit the server uses neither. */
#define KB_SEARCH_INDEX_CAN_COUNT 128u /* Counts facets; without this bit they are not counted, even if requested. */
#define KB_SEARCH_INDEX_CAN_MARK 256u /* Returns the words that matched; without this bit hits have no marks. */
#define KB_SEARCH_INDEX_CAN_COMPLETE 512u /* complete is available. */
#define KB_SEARCH_INDEX_CAN_DESCRIBE 1024u /* Hits have the members from `has_row` on, and the matching section. */
/* Filters by several categories or tags, by language and by version; without this bit the server uses none of them. */
#define KB_SEARCH_INDEX_CAN_SELECT 2048u
#define KB_SEARCH_INDEX_CAN_SKIP 4096u /* Does not require `optional` words; without this bit a query has none. */

/* Keeps the options of command lines: a PHRASE of `-xzf` or `--amend` matches only where a text has it so; without
 * this bit a minus before a word always excludes it. */
#define KB_SEARCH_INDEX_HAS_OPTIONS 8192u

/* Finds items also by the synonyms of a WORD, below those with the word; without this bit a WORD has none. */
#define KB_SEARCH_INDEX_CAN_EXTEND 16384u

#define KB_QUERY_ALL_OF 0 /* every child; the root, and only the root */
#define KB_QUERY_ANY_OF 1 /* at least one child: WORDs, PREFIXes and PHRASEs */
#define KB_QUERY_NOT 2 /* its single child, a WORD, PREFIX or PHRASE, must not occur */
#define KB_QUERY_WORD 3 /* one word; if analysis makes several of it, each counts as a separate word */
#define KB_QUERY_PREFIX 4 /* any word that begins with the text */
#define KB_QUERY_PHRASE 5 /* the words of the text, adjacent within one field or tag */

/* At most 512 nodes, three levels deep. Texts are as the user typed them. Where analysis makes several words of one,
 * a WORD below ANY_OF requires all of them; below NOT, and in a PREFIX, they must be adjacent. */
typedef struct kb_query_node {
  uint32_t struct_size;
  int32_t kind;
  kb_view text; /* of WORD, PREFIX and PHRASE; else empty */
  /* of ALL_OF, ANY_OF and NOT; of a WORD below the root the synonyms, WORDs and PHRASEs of which one is enough; else
   * NULL */
  const struct kb_query_node* first_child;
  const struct kb_query_node* next; /* the next child of the same parent; NULL: the last */
  /* with CAN_SKIP: a WORD below the root that the rule of all words does not require, unless no other is left */
  uint32_t optional;
  uint32_t reserved;
} kb_query_node;

#define KB_SORT_RELEVANCE 0 /* score, then newest updated_day, then id */
#define KB_SORT_DATE 1 /* newest updated_day, then id */
#define KB_SORT_POPULARITY 2 /* most views, imported and counted, then id */

#define KB_FALLBACK_NEVER 0u
#define KB_FALLBACK_ALWAYS UINT64_MAX

/* Facets describe all matches, not only the page: the values that they have and how many items have each. A value of
 * LANGUAGE is in lower case and counts the items that the filter by it keeps: an item of `en-US` counts for `en-us`
 * and for `en`. */
#define KB_FACET_CATEGORY 0
#define KB_FACET_TAG 1
#define KB_FACET_LANGUAGE 2
#define KB_FACET_VERSION 3

/* Called for each value of a requested facet, before search returns: most items first, then by bytes, at most
 * KB_MAX_FACET_VALUES of one facet. An empty value is not passed. */
typedef void (*kb_facet_sink)(void* data, int32_t facet, kb_view value, uint64_t items);

#define KB_MAX_FACET_VALUES 100u

#define KB_WANTS_MARKS 1u
#define KB_WANTS_CATEGORIES 2u /* facets: every KB_FACET_CATEGORY value */
#define KB_WANTS_TAGS 4u
#define KB_WANTS_LANGUAGES 8u /* only with CAN_SELECT */
#define KB_WANTS_VERSIONS 16u /* only with CAN_SELECT */

typedef struct kb_search_request {
  uint32_t struct_size;
  int32_t sort;
  const kb_query_node* query; /* NULL: every item matches, with relevance 1 */
  const kb_view* category; /* keeps the items of exactly this category, after matching; NULL: all */
  uint64_t offset;
  uint64_t limit; /* 0: only the total */
  uint64_t fallback_below;
  const kb_view* tag; /* with CAN_FILTER: keeps items with this tag, byte for byte; NULL: all */
  const int32_t* updated_from; /* with CAN_FILTER: keeps items with updated_day from this day on; NULL: all */
  const int32_t* updated_to; /* with CAN_FILTER: and up to this day; NULL: all */
  uint32_t wants; /* KB_WANTS_...; the index ignores what it cannot do */
  uint32_t reserved;
  kb_facet_sink facet; /* not called for what `wants` does not request; receives the `data` of search */
  const kb_view* further_categories; /* with CAN_SELECT and `category`: keeps the items of these too */
  size_t further_category_count;
  const kb_view* further_tags; /* with CAN_SELECT and `tag`: keeps the items with one of these too */
  size_t further_tag_count;
  /* With CAN_SELECT: keeps items whose language is this, or begins with it and a hyphen, regardless of ASCII case:
   * `en` keeps `en-US`; NULL: all. */
  const kb_view* language;
  const kb_view* version; /* with CAN_SELECT: keeps items of this version, byte for byte; NULL: all */
} kb_search_request;

/* The bytes [begin, end) of a text. This struct never grows. */
typedef struct kb_mark {
  uint32_t begin;
  uint32_t end;
} kb_mark;

typedef struct kb_hit {
  uint32_t struct_size;
  uint32_t reserved;
  double relevance; /* score divided by the best score of the whole result: above 0, at most 1 */
  kb_view id;
  kb_view title;
  kb_view category;
  /* Plain text around the best match, at most 240 code points in one line: white space and control characters become
   * single spaces. Cut at word borders, with U+2026 at each cut. Without a match in the content it is the start of
   * the content, equal to kb_item.lead. */
  kb_view excerpt;
  /* If KB_WANTS_MARKS is set: the matching words, complete characters, in order and without overlap. */
  const kb_mark* title_marks;
  size_t title_mark_count;
  const kb_mark* excerpt_marks;
  size_t excerpt_mark_count;
  uint32_t has_row; /* 1: the members below are those of the item; 0: the server reads them from the store */
  int32_t updated_day;
  kb_view url;
  const kb_view* tags;
  size_t tag_count;
  uint64_t views; /* imported and counted */
  kb_view section_heading; /* the section of the item's text that answers best; empty: none */
  kb_view section_anchor;
  kb_view language;
  kb_view version;
} kb_hit;

/* Filled in by the plugin, as far as struct_size reaches. */
typedef struct kb_search_answer {
  uint32_t struct_size;
  uint32_t any_word; /* 1: one of the words was enough; 0 also if both rules match the same items */
  uint64_t total; /* the exact number of matching items, after the filter */
  uint64_t revision; /* of the content that the result was computed on */
  uint64_t views_revision; /* of the counted views that it was computed on */
  uint8_t lineage[16]; /* the store id of that content */
} kb_search_answer;

typedef struct kb_index_state {
  uint32_t struct_size;
  /* 0: the index must be rebuilt (new, damaged, other settings), unless begin accepts an update of this store id, as
   * after a batch that was left half done. Whether it answers meanwhile is what health returns. */
  uint32_t complete;
  uint64_t revision; /* up to which it has applied the changes feed */
  uint64_t views_revision;
  uint64_t documents;
  uint8_t lineage[16]; /* the store id of the content it was built from */
} kb_index_state;

typedef int32_t (*kb_hit_sink)(void* data, const kb_hit* hit);

/* Called for each word that the index lacks, before search returns, with the word that it counted as, as items write
 * it most often. */
typedef void (*kb_correction_sink)(void* data, kb_view word, kb_view replacement);

/* A word as items write it most often, and about how many items have it. */
typedef int32_t (*kb_word_sink)(void* data, kb_view word, uint64_t items);

#define KB_BUILD_UPDATE 0 /* on top of the present state */
#define KB_BUILD_REBUILD 1 /* from nothing, also for another store id; the old state answers until the commit */

typedef struct kb_search_index kb_search_index;

typedef struct kb_index_writer kb_index_writer;

typedef struct kb_search_index_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_search_index** instance);
  void (*destroy)(kb_search_index* index);
  kb_status (*health)(kb_search_index* index, kb_call* call);

  /* Identifies the implementation, its format and every setting that changes its results. It is part of the
   * validators of responses, so that none stays valid after such a change. Valid as long as the instance; never
   * fails. */
  kb_view (*fingerprint)(kb_search_index* index);

  /* Hits in the order of `sort`, from `offset` on. Past the end there are no hits, and the total is the same on
   * every page. KB_UNAVAILABLE with retry_after_ms: there is no state to answer from. `answer` is filled in on KB_OK
   * and KB_STOPPED. */
  kb_status (*search)(kb_search_index* index, kb_call* call, const kb_search_request* request, kb_hit_sink sink,
                      kb_correction_sink correction, void* data, kb_search_answer* answer);

  kb_status (*state)(kb_search_index* index, kb_call* call, kb_index_state* out);

  /* Starts the single batch. KB_CONFLICT: a batch is open, in this process or another. KB_UNSUPPORTED:
   * KB_BUILD_UPDATE for another store id than the index holds, or without a state to build on. */
  kb_status (*begin)(kb_search_index* index, kb_call* call, int32_t build, const uint8_t lineage[16],
                     kb_index_writer** writer);

  /* Replaces the counted totals of the named items (`day` has no meaning); the others keep theirs. Totals outlast
   * batches, and those of an unknown item wait for it. They may end with the instance: an index whose state has a
   * lower views_revision than the last one it was given receives all totals again. */
  kb_status (*set_views)(kb_search_index* index, kb_call* call, const kb_view_count* totals, size_t count,
                         uint64_t views_revision);

  /* Reads everything and reports whether it is valid. KB_CORRUPT, with the finding in `detail`. KB_UNAVAILABLE:
   * there is nothing to read yet. */
  kb_status (*verify)(kb_search_index* index, kb_call* call);

  /* --- A batch. One thread at a time; nothing is visible before commit, and searches never wait for it. After a
   * failure of put or remove only abort is called. If a batch names an id several times, the last call counts. --- */

  kb_status (*put)(kb_index_writer* writer, kb_call* call, const kb_item* const* items, size_t item_count);

  /* An unknown id is not a failure. */
  kb_status (*remove)(kb_index_writer* writer, kb_call* call, kb_view id);

  /* Publishes everything at once as the state at `revision`, durably where the index persists, and ends the writer;
   * after a failure abort follows. A deadline that has passed ends the call before it publishes, not afterwards. */
  kb_status (*commit)(kb_index_writer* writer, kb_call* call, uint64_t revision);

  /* Ends the writer, whatever the outcome of the call. Nothing of the batch is kept. */
  void (*abort)(kb_index_writer* writer, kb_call* call);

  /* Words that begin with `beginning`, a word as it is typed, and are longer: most items first, then by bytes; at
   * most `limit`. None if analysis makes no word of it, or several. */
  kb_status (*complete)(kb_search_index* index, kb_call* call, kb_view beginning, uint64_t limit, kb_word_sink sink,
                        void* data);
} kb_search_index_v1;

#ifdef __cplusplus
}
#endif

#endif
