/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/base.h: what every plugin and every port uses. Plain C99; includes only <stddef.h> and <stdint.h>.
 *
 * Rules of these headers
 *  1. They only grow, from 1.0 on. A released member never moves and never changes its type or meaning; a change of
 *     meaning is a new port id ("kbase.item_store/2").
 *  2. A struct that may grow begins with struct_size, which the side that defines the object sets to sizeof. Readers
 *     check KB_HAS(object, member) before any member newer than 1.0; no one writes past struct_size. `reserved` is 0
 * and is never read. Flags are written as 1 or 0 and read as "not 0".
 *  3. Tables and structs that may grow are passed by pointer and are never elements of an array. Elements of arrays
 * never change: integers of a fixed width, double, pointers, kb_view. An empty array may be NULL.
 *  4. Memory never changes its owner. What a pointer or kb_view points to is valid until the function, or the sink,
 * that received it returns; to keep it, copy it. A sink belongs to the server and is never NULL: it copies and returns
 * at once, and never calls the plugin, blocks or throws, so the plugin may hold a read lock meanwhile. Call it on the
 *     thread of the call that it came with, before that call returns; otherwise it accepts nothing. If it returns not
 * 0, stop and return KB_STOPPED.
 *  5. Nothing unwinds across the boundary: no C++ exception, no Rust panic, no longjmp, no pthread_exit.
 *  6. Text is UTF-8, without a terminating zero unless it is a `const char *`. The bytes behind the end of a kb_view
 * must not be read. An empty view may have a null `data`.
 *  7. The process belongs to the server. A plugin does not change what the whole process shares: signal handlers,
 * locale, umask, working directory, environment, the standard streams (use kb_host.log for messages). It never ends the
 *     process, and destroy ends what it started: threads and open files.
 *  8. No side receives a constant that is newer than the minor version it was built with (kb_plugin.abi_minor,
 *     kb_host.abi_minor). Unknown bits of capabilities, inline_calls and `wants` are ignored; the server refuses a
 * table with unknown flags.
 */
#ifndef KBASE_BASE_H
#define KBASE_BASE_H

#include <stddef.h>
#include <stdint.h>

#define KB_ABI_MAJOR 1
#define KB_ABI_MINOR 2

/* The lowest minor version of a server that the plugin works with. To load into older servers too, define it before
 * including this header and check newer functions with KB_HAS. */
#ifndef KB_NEEDS_MINOR
#define KB_NEEDS_MINOR KB_ABI_MINOR
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
#define KB_NOEXCEPT noexcept
#else
#define KB_NOEXCEPT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Whether `*object` is large enough to have `member`. */
#ifdef __cplusplus
#define KB_HAS(object, member) \
  ((object)->struct_size >=    \
   reinterpret_cast<const char*>(&(object)->member + 1) - reinterpret_cast<const char*>(object))
#else
#define KB_HAS(object, member) \
  ((size_t)(object)->struct_size >= (size_t)((const char*)(&(object)->member + 1) - (const char*)(object)))
#endif

typedef struct kb_view {
  const char* data;
  size_t size;
} kb_view;

/* ---- outcomes -------------------------------------------------------------------------------------------------- */

/* 0: success. Above 0: an expected outcome, which is not logged. Below 0: a failure; call kb_host.explain with the
 * reason before returning it. After KB_UNAVAILABLE, KB_DEADLINE, KB_CANCELLED or KB_BAD_UPSTREAM it is unknown whether
 * a write took place; after any other failure it did not. */
typedef int32_t kb_status;

#define KB_OK 0
#define KB_NOT_FOUND 1 /* what was requested does not exist */
#define KB_STOPPED 2   /* the sink returned not 0 */

#define KB_INVALID_ARGUMENT (-1) /* the caller's input is wrong */
#define KB_CONFLICT (-2)         /* another process or call holds what this call needs */
#define KB_UNAVAILABLE (-3)      /* the other side is down or full; a retry may succeed */
#define KB_NO_MEMORY (-4)
#define KB_DEADLINE (-5)     /* kb_call.deadline_ns passed, or a call with KB_CALL_IS_QUICK was not quick */
#define KB_BAD_UPSTREAM (-6) /* an external service failed or sent an invalid response */
#define KB_CANCELLED (-7)    /* the caller no longer needs the result */
#define KB_UNSUPPORTED (-8)  /* this plugin does not offer the function */
#define KB_GONE (-9)         /* what was requested existed and is no longer kept */
#define KB_CORRUPT (-10)     /* stored data are inconsistent */
#define KB_INTERNAL (-11)    /* everything else; the server treats any other number below 0 the same */

/* The reason of a failure. Members may be empty. */
typedef struct kb_explanation {
  uint32_t struct_size;
  uint32_t retry_after_ms; /* when it may work again; 0: unknown */
  kb_view message;         /* one sentence for the client; reveals no internals */
  kb_view detail;          /* the cause, for the log */
  kb_view parameter;       /* the wrong parameter or setting of KB_INVALID_ARGUMENT */
} kb_explanation;

/* ---- what the server provides -------------------------------------------------------------------------------------
 */

struct kb_host;

/* On a thread that may not wait. A function that declares so in inline_calls returns KB_DEADLINE, before it calls a
 * sink, if it would take longer than about half a millisecond; the server repeats the call on another thread. */
#define KB_CALL_IS_QUICK 1u

/* Passed with every call. It is on the server's stack: valid until the call returns, and never copied. */
typedef struct kb_call {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t deadline_ns; /* by kb_host.monotonic_ns; UINT64_MAX: none. A call that cannot finish by then returns
                           KB_DEADLINE soon after. */
  kb_view trace_id;     /* the id of the request in the log; may be empty */
  const struct kb_host* host;
  void* host_data; /* for the server only */
  uint32_t flags;  /* KB_CALL_...; others are 0. A server of 1.0 has no flags: check KB_HAS */
  uint32_t reserved2;
} kb_call;

#define KB_LOG_DEBUG 0
#define KB_LOG_INFO 1
#define KB_LOG_WARNING 2
#define KB_LOG_ERROR 3
/* Begins a field after a message: "The store was created." KB_LOG_FIELD "path=/srv/kb". Eight at most. A server of 1.0
 * writes them as part of the message. */
#define KB_LOG_FIELD "\x1f"

#define KB_METRIC_COUNTER 0
#define KB_METRIC_GAUGE 1

/* Any thread may call these functions at any time between create and the end of destroy. None fails, or blocks longer
 * than a write to standard error. Use these clocks instead of the system's: the checker sets them. */
typedef struct kb_host {
  uint32_t struct_size;
  uint32_t abi_minor;
  const char* name;    /* "kbase" */
  const char* version; /* "1.0.0" */
  void* host_data;     /* for the server only */

  /* `event`: a fixed dotted name that alerts can rely on, "redis.connected"; `message`: a sentence, and fields after it
   * (KB_LOG_FIELD). Never a key, a secret or a client's address. */
  void (*log)(const struct kb_host* host, int32_t level, kb_view event, kb_view message);

  /* Gives the reason why the call is about to return a failure. The last explanation counts. */
  void (*explain)(kb_call* call, const kb_explanation* why);

  /* Not 0 once the caller no longer needs the result. Long loops and waits check it at least every 10 ms. */
  int32_t (*cancelled)(const kb_call* call);

  uint64_t (*monotonic_ns)(const struct kb_host* host);
  int64_t (*wall_ms)(const struct kb_host* host); /* milliseconds since 1970-01-01T00:00:00Z */

  /* Registers a series "kbase_plugin_NAME", labelled with the plugin's id, and returns its number. UINT32_MAX: the name
   * contains other characters than a-z, 0-9 and _, or there are too many series. The same name gives the same number.
   * The name of a counter ends with _total, which is added where it is missing; that of a gauge never does. */
  uint32_t (*metric)(const struct kb_host* host, int32_t kind, kb_view name, kb_view help);
  void (*metric_add)(const struct kb_host* host, uint32_t metric, int64_t amount);

  /* Further services by id ("kbase.http_client/1"); NULL: this server does not have it. The table is valid as long as
   * the server runs. */
  const void* (*get_extension)(const struct kb_host* host, const char* id);
} kb_host;

/* ---- what every port's table begins with -------------------------------------------------------------------------
 *
 * struct_size      sizeof the table.
 * inline_calls     KB_<PORT>_INLINE_ bits of the functions that never block longer than a page fault: the server may
 *                  call these on the threads that handle requests. 0 is always correct.
 * flags            KB_TABLE_SERIAL: at most one call of an instance at a time, which the server ensures (then
 *                  inline_calls is 0). Other instances, and create, may run at the same time.
 * capabilities     KB_<PORT>_CAN_ bits: what an instance can do, unless its settings turn it off.
 * config_schema    A JSON Schema, static and zero-terminated, of the settings that create() receives: an object with
 *                  "properties", each with a type and a description. The server evaluates type, properties,
 *                  required, additionalProperties, enum, default, minimum, maximum, minLength and maxLength (in code
 *                  points), items, writeOnly and format; title and examples are for people. Formats are
 *                    path         made absolute
 *                    size         "64KiB", "1MiB", or bytes; minimum and maximum are in bytes
 *                    duration     "500ms", "10s", "5m", "24h", "90d"; minimum and maximum are in milliseconds
 *                    server-url   SCHEME://HOST and more; if it is writeOnly, only user and password are hidden
 *                  and sizes and durations reach create() as they were written. The server refuses an invalid value
 *                  with file, line and key, fills in defaults, and hides writeOnly values, which may be written as
 *                  file:PATH. A default may begin with "${data_dir}", the server's own folder, or "${instance}", the
 *                  name of its knowledge base. Keywords and formats that a server does not know are ignored. A plugin
 *                  has one schema for its stores of items, views and keys: that of the items. NULL: no settings.
 *                  Some properties have a meaning for the server too: it allows HTTP requests to `base_url` and `url`
 *                  (kbase/http_client.h); `path` of a search index is the folder of its files; an item store with
 *                  `if_missing` receives "fail" where nothing may be created. Two belong to the server and never reach
 *                  create(): `default_model` of a language model, and `load` of an item store that does not persist.
 *                  The names of further ones begin with "kbase_".
 * create           Creates an instance. `config` is JSON text that fits the schema. May block, since the server starts,
 *                  but starts no thread that outlives destroy. KB_INVALID_ARGUMENT with `parameter`: a setting is
 *                  wrong. KB_NOT_FOUND: what should be opened does not exist, and the settings forbid to create it.
 *                  On any status but KB_OK `*instance` is ignored; on KB_OK it is not NULL. Several instances may
 *                  exist at once.
 * destroy          Ends the instance after its last call has returned and its last batch has ended: joins its
 *                  threads, closes its files. Never fails. The code stays loaded.
 * health           KB_OK: it can work. Blocks no longer than the call's deadline.
 *
 * Between create and destroy every function may be called by any number of threads at once, unless its comment or
 * KB_TABLE_SERIAL says otherwise.
 */
#define KB_TABLE_SERIAL 1u

/* ---- the plugin itself ----------------------------------------------------------------------------------------- */

/* Static for the life of the process. */
typedef struct kb_plugin {
  uint32_t struct_size;
  uint16_t abi_major;  /* KB_ABI_MAJOR */
  uint16_t abi_minor;  /* KB_ABI_MINOR */
  const char* id;      /* reverse domain name, "org.example.jsonlines" */
  const char* version; /* of the plugin */
  const char* vendor;
  const char* license; /* an SPDX expression */

  /* The table of a port ("kbase.cache/1"), static; NULL: not offered. Any thread; always the same result. */
  const void* (*get_port)(const char* port_id);
} kb_plugin;

/* The single symbol that a plugin exports. Returns the descriptor and does nothing else: no thread, file, log or lock.
 */
#define KB_PLUGIN_ENTRY kb_plugin_entry
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const kb_plugin*
kb_plugin_entry(void) KB_NOEXCEPT;

/* An ELF note by which a server can refuse a file before any of its code runs. Write KB_NOTE; once, in one source file.
 * Its descriptor: major, minor, needs_minor, 0. */
typedef struct kb_elf_note {
  uint32_t name_size, descriptor_size, type;
  char name[8];
  uint32_t descriptor[4];
} kb_elf_note;

#if defined(__clang__)
#define KB_NO_RED_ZONE \
  __attribute__((no_sanitize("address"))) /* the server would read a red zone as part of the note */
#else
#define KB_NO_RED_ZONE
#endif

#define KB_NOTE_TYPE 1u
#define KB_NOTE                                                                                                  \
  __attribute__((used, aligned(4), section(".note.kbase"))) KB_NO_RED_ZONE static const kb_elf_note kb_note_ = { \
      6, 16, KB_NOTE_TYPE, "kbase\0", {KB_ABI_MAJOR, KB_ABI_MINOR, KB_NEEDS_MINOR, 0}}

#ifdef __cplusplus
}
#endif

#endif
