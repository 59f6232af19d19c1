/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/search_index.h: port kbase.search_index/1, ranked full-text search over a projection of the item store. It can
 * be thrown away and built again at any time. It stores what a hit shows, so an answer comes from one snapshot of the
 * index alone, and a batch shows whole or not at all. What another process commits to the same index shows too, within
 * a second.
 *
 * Matching: an item matches when it has every WORD, PREFIX and ANY_OF of the root, case, accents and inflection aside,
 * in its title, tags or content; where fewer than `fallback_below` items of the whole index do, before any
 * filter, any one of them is enough. PHRASE and NOT always hold. A node without a word after analysis is left out;
 * where none but NOTs is left, nothing matches. There are no stop words. A match in the title weighs more than one in
 * the tags, and that more than one in the content.
 */
#ifndef KBASE_SEARCH_INDEX_H
#define KBASE_SEARCH_INDEX_H

#include "kbase/activity_store.h"
#include "kbase/item_store.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_SEARCH_INDEX "kbase.search_index/1"

#define KB_SEARCH_INDEX_INLINE_SEARCH 1u /* search, state */

#define KB_SEARCH_INDEX_CAN_PERSIST 1u
#define KB_SEARCH_INDEX_CAN_STEM 2u            /* inflected forms match each other, the form asked for ranks first */
#define KB_SEARCH_INDEX_CAN_SEGMENT 4u         /* languages without spaces are cut into words */
#define KB_SEARCH_INDEX_CAN_CORRECT 8u         /* words the index lacks match their nearest ones */
#define KB_SEARCH_INDEX_HAS_POPULARITY_LAG 16u /* counted views may be up to 30 s late, else 1 s */
/* Instances of several servers, with the same settings, have one index: each answers from what any of them committed.
 * The server sees to it that one of them at a time begins a batch, or calls set_views; the others look at state. */
#define KB_SEARCH_INDEX_IS_SHARED 32u
#define KB_SEARCH_INDEX_CAN_FILTER 64u    /* by tag and by day, beside category; without it neither is asked for */
#define KB_SEARCH_INDEX_CAN_COUNT 128u    /* facets; without it they are not counted, though they may be asked for */
#define KB_SEARCH_INDEX_CAN_MARK 256u     /* the words that matched; without it hits have no marks */
#define KB_SEARCH_INDEX_CAN_COMPLETE 512u /* complete; without it that may be NULL */

#define KB_QUERY_ALL_OF 0 /* every child; the root, and only the root */
#define KB_QUERY_ANY_OF 1 /* at least one child: WORDs, PREFIXes and PHRASEs */
#define KB_QUERY_NOT 2    /* its one child, a WORD, PREFIX or PHRASE, must not occur */
#define KB_QUERY_WORD 3   /* one word; where analysis makes several of it, each counts as a word of its own */
#define KB_QUERY_PREFIX 4 /* any word that begins with the text */
#define KB_QUERY_PHRASE 5 /* the text's words, side by side within one field or tag */

/* At most 512 nodes, three levels deep. Texts are as the user typed them; where analysis makes several words of one, a
 * WORD below ANY_OF means all of them, and below NOT, or of a PREFIX, they stand side by side. */
typedef struct kb_query_node {
  uint32_t struct_size;
  int32_t kind;
  kb_view text;                            /* of WORD, PREFIX and PHRASE; else empty */
  const struct kb_query_node* first_child; /* of ALL_OF, ANY_OF and NOT; else NULL */
  const struct kb_query_node* next;        /* the next child of the same parent; NULL: the last */
} kb_query_node;

/* Ids by their bytes. */
#define KB_SORT_RELEVANCE 0  /* score, then newest updated_day, then id */
#define KB_SORT_DATE 1       /* newest updated_day, then id */
#define KB_SORT_POPULARITY 2 /* most views, imported and counted, then id */

#define KB_FALLBACK_NEVER 0u
#define KB_FALLBACK_ALWAYS UINT64_MAX

/* What is told of all matches, not of the page alone: the values that they have and how many have each. */
#define KB_FACET_CATEGORY 0
#define KB_FACET_TAG 1

/* Told of each value of a facet that was asked for, before search returns: those of most items first, then by their
 * bytes, at most KB_MAX_FACET_VALUES of one facet. An empty tag is no value. */
typedef void (*kb_facet_sink)(void* data, int32_t facet, kb_view value, uint64_t items);
#define KB_MAX_FACET_VALUES 100u

#define KB_WANTS_MARKS 1u
#define KB_WANTS_CATEGORIES 2u /* facets: every KB_FACET_CATEGORY, and so on */
#define KB_WANTS_TAGS 4u

typedef struct kb_search_request {
  uint32_t struct_size;
  int32_t sort;
  const kb_query_node* query; /* NULL: every item matches, with relevance 1 */
  const kb_view* category;    /* keeps the items whose own category this is, after matching; NULL: all */
  uint64_t offset;
  uint64_t limit; /* 0: only the total */
  uint64_t fallback_below;
  /* With CAN_FILTER; after matching, as the category. */
  const kb_view* tag;          /* keeps the items that have this tag, byte for byte; NULL: all */
  const int32_t* updated_from; /* keeps those with updated_day from this day on; NULL: all */
  const int32_t* updated_to;   /* and up to this day; NULL: all */
  uint32_t wants;              /* KB_WANTS_...; what the index cannot tell it does not */
  uint32_t reserved;
  kb_facet_sink facet; /* told of nothing that `wants` does not ask for; takes the `data` of search */
} kb_search_request;

/* The bytes [begin, end) of a text. Fixed for good. */
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
  kb_view excerpt; /* plain text around the best match, at most 240 code points in one line: what is white space or a
                      control character becomes single spaces. Cut at the borders of words, with U+2026 at each cut.
                      Without a match in the content it is the start of that, which is also kb_item.lead. */
  /* Where KB_WANTS_MARKS was asked: words of the query, whole characters each, in their order and apart. */
  const kb_mark* title_marks;
  size_t title_mark_count;
  const kb_mark* excerpt_marks;
  size_t excerpt_mark_count;
} kb_hit;

/* Filled in by the plugin, as far as struct_size reaches. */
typedef struct kb_search_answer {
  uint32_t struct_size;
  uint32_t any_word;       /* 1: any one of the words was enough; 0 too where both rules match the same items */
  uint64_t total;          /* the exact number of matching items, after the filter */
  uint64_t revision;       /* of the content the answer was computed on */
  uint64_t views_revision; /* of the counted views it was computed on */
  uint8_t lineage[16];     /* of the store that content came from */
} kb_search_answer;

typedef struct kb_index_state {
  uint32_t struct_size;
  /* 0: it has to be built anew (new, damaged, of other settings), unless begin takes an update of this lineage, as on
   * top of a batch that was left half. Whether it answers until then, from what it has, its health says. */
  uint32_t complete;
  uint64_t revision; /* up to which it has applied the changes feed */
  uint64_t views_revision;
  uint64_t documents;
  uint8_t lineage[16]; /* of the store it was built from */
} kb_index_state;

typedef int32_t (*kb_hit_sink)(void* data, const kb_hit* hit);

/* Told of each word that the index lacks and the one it counted as, before search returns. */
typedef void (*kb_correction_sink)(void* data, kb_view word, kb_view replacement);

/* A word as the index compares it, and how many items have it, about. Returns as every sink. */
typedef int32_t (*kb_word_sink)(void* data, kb_view word, uint64_t items);

#define KB_BUILD_UPDATE 0  /* on top of what is there */
#define KB_BUILD_REBUILD 1 /* from nothing, for another lineage too; the old state answers until the commit */

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
  /* KB_UNAVAILABLE too as long as there is no state to answer from. */
  kb_status (*health)(kb_search_index* index, kb_call* call);

  /* Names the implementation, its format and every setting that changes its answers; part of the validators of answers,
   * so that none outlives a change of either. Lives as long as the instance; never fails. */
  kb_view (*fingerprint)(kb_search_index* index);

  /* Hits in the order of `sort`, from `offset` on. Past the end there are none, and the total is that of every page.
   * KB_UNAVAILABLE with retry_after_ms: there is no state to answer from. `answer` is filled in on KB_OK and
   * KB_STOPPED.
   */
  kb_status (*search)(kb_search_index* index, kb_call* call, const kb_search_request* request, kb_hit_sink sink,
                      kb_correction_sink correction, void* data, kb_search_answer* answer);

  kb_status (*state)(kb_search_index* index, kb_call* call, kb_index_state* out);

  /* Starts the one batch. KB_CONFLICT: there is one already, in this process or another. KB_UNSUPPORTED:
   * KB_BUILD_UPDATE for another lineage than the index holds, or where it has no state that one can stand on. */
  kb_status (*begin)(kb_search_index* index, kb_call* call, int32_t build, const uint8_t lineage[16],
                     kb_index_writer** writer);

  /* Replaces the counted totals of the named items (`day` means nothing); the others keep theirs. They outlast batches,
   * and those of an unknown item wait for it. They may end with the instance: an index whose state has a lower
   * views_revision than it was told is told all of them again. */
  kb_status (*set_views)(kb_search_index* index, kb_call* call, const kb_view_count* totals, size_t count,
                         uint64_t views_revision);

  /* Reads all there is and says whether it is sound. KB_CORRUPT, with what was found in `detail`. KB_UNAVAILABLE: there
   * is nothing to read yet. */
  kb_status (*verify)(kb_search_index* index, kb_call* call);

  /* --- a batch: one thread at a time, unseen before commit; searches never wait for it. After a failure of put or
   * remove only abort is called. Of what a batch says of one id the last counts. --- */

  kb_status (*put)(kb_index_writer* writer, kb_call* call, const kb_item* const* items, size_t item_count);
  kb_status (*remove)(kb_index_writer* writer, kb_call* call, kb_view id); /* an unknown id is no failure */

  /* Publishes everything at once as the state at `revision`, durably where the index persists, and ends the writer; on
   * a failure abort follows. A deadline that has passed ends it before it publishes, not afterwards. */
  kb_status (*commit)(kb_index_writer* writer, kb_call* call, uint64_t revision);
  /* Ends the writer, whatever the call comes to; what was not committed leaves no trace. */
  void (*abort)(kb_index_writer* writer, kb_call* call);

  /* Words that begin with `beginning`, a word as it is typed, and go on: those of most items first, then by their
   * bytes; at most `limit`. None where analysis makes no word of it, or several. */
  kb_status (*complete)(kb_search_index* index, kb_call* call, kb_view beginning, uint64_t limit, kb_word_sink sink,
                        void* data);
} kb_search_index_v1;

#ifdef __cplusplus
}
#endif

#endif
