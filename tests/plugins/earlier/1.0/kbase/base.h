/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/base.h: what every plugin and every port of it shares. Plain C99; nothing but <stddef.h> and <stdint.h>.
 *
 * Rules of these headers
 *  1. They only grow, from 1.0 on. A released member never moves and never changes its type or meaning; a break in
 *     meaning is a new port id ("kbase.item_store/2").
 *  2. A struct that may grow begins with struct_size, set to sizeof by whoever defines the object. Readers test
 *     KB_HAS(object, member) before any member newer than 1.0; nobody writes past it. `reserved` is 0, and nobody looks
 *     at it. What says yes or no is written as 1 or 0 and read as "not 0".
 *  3. Tables and structs that may grow are handed over by pointer and never stand in an array; what is in arrays is
 *     fixed for good: integers of a fixed width, double, pointers, kb_view. An array of none may be NULL.
 *  4. Memory never changes its owner. What a pointer or kb_view leads to is a loan that ends when the function, or the
 *     sink, that received it returns. Who wants to keep it copies it. A sink is the server's, and never NULL: it copies
 *     and returns at once, and never calls the plugin, waits or throws, so a read lock may be held meanwhile. It is
 *     called on the thread of the call that it came with, until that call returns; on another, or later, it takes
 *     nothing. Where it returns a number, not 0 says: stop, and return KB_STOPPED.
 *  5. Nothing unwinds across the boundary: no C++ exception, no Rust panic, no longjmp, no pthread_exit.
 *  6. Text is UTF-8, without a terminating zero unless it is a `const char *`. The bytes behind a kb_view's end must
 *     not be read. An empty view may have a null `data`.
 *  7. The process is the server's. A plugin leaves alone what belongs to all of it: signal handlers, locale, umask,
 *     working directory, environment, the standard streams (kb_host.log is for what is to be said). It never ends the
 *     process, and what it starts, threads and open files, ends with destroy.
 *  8. Nobody is given a constant that is newer than the minor version it was built with (kb_plugin.abi_minor,
 *     kb_host.abi_minor). Bits of capabilities, inline_calls and `wants` that one does not know are ignored; a table
 *     with flags that the server does not know is refused.
 */
#ifndef KBASE_BASE_H
#define KBASE_BASE_H

#include <stddef.h>
#include <stdint.h>

#define KB_ABI_MAJOR 1
#define KB_ABI_MINOR 0

/* The lowest minor version of a server that the plugin can live with. Define it before including this header where the
 * plugin uses newer functions only after KB_HAS, to load into older servers too. */
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

/* Whether the object that `object` leads to is large enough to have `member`. */
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

/* 0: done. Above 0: an expected outcome, which nobody logs. Below 0: a failure, which kb_host.explain can put into
 * words before it is returned. After KB_UNAVAILABLE, KB_DEADLINE, KB_CANCELLED or KB_BAD_UPSTREAM nobody knows whether
 * what was to be written was; after any other failure it was not. */
typedef int32_t kb_status;

#define KB_OK 0
#define KB_NOT_FOUND 1 /* there is no such thing */
#define KB_STOPPED 2   /* the sink asked for no more */

#define KB_INVALID_ARGUMENT (-1) /* the caller's input is wrong */
#define KB_CONFLICT (-2)         /* somebody else holds what this call needs */
#define KB_UNAVAILABLE (-3)      /* the other side is down or full; worth another try */
#define KB_NO_MEMORY (-4)
#define KB_DEADLINE (-5)     /* kb_call.deadline_ns passed */
#define KB_BAD_UPSTREAM (-6) /* an external service failed or answered nonsense */
#define KB_CANCELLED (-7)    /* nobody waits for the answer any more */
#define KB_UNSUPPORTED (-8)  /* this plugin does not offer the function */
#define KB_GONE (-9)         /* what was asked for existed and is no longer kept */
#define KB_CORRUPT (-10)     /* stored data contradict themselves */
#define KB_INTERNAL (-11)    /* everything else; what a server takes any other number below 0 for */

/* What a failure is put into words with. Members may be empty. */
typedef struct kb_explanation {
  uint32_t struct_size;
  uint32_t retry_after_ms; /* when it may work again; 0: unknown */
  kb_view message;         /* one sentence for whoever called: says nothing about the inside */
  kb_view detail;          /* the cause, for the log */
  kb_view parameter;       /* the wrong parameter or setting of KB_INVALID_ARGUMENT */
} kb_explanation;

/* ---- what the server lends ------------------------------------------------------------------------------------- */

struct kb_host;

/* Travels with every call, on the server's stack: a loan until the call returns, and never copied. */
typedef struct kb_call {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t deadline_ns; /* by kb_host.monotonic_ns; UINT64_MAX: none. A call that can't end by then returns
                           KB_DEADLINE soon after. */
  kb_view trace_id;     /* the id under which the log speaks of the request; may be empty */
  const struct kb_host* host;
  void* host_data; /* the server's own */
} kb_call;

#define KB_LOG_DEBUG 0
#define KB_LOG_INFO 1
#define KB_LOG_WARNING 2
#define KB_LOG_ERROR 3

#define KB_METRIC_COUNTER 0
#define KB_METRIC_GAUGE 1

/* Any thread may call any of these at any time between create and the end of destroy, and none fails or waits longer
 * than a write to standard error. Use these clocks instead of the system's: the checker sets them. */
typedef struct kb_host {
  uint32_t struct_size;
  uint32_t abi_minor;
  const char* name;    /* "kbase" */
  const char* version; /* "1.0.0" */
  void* host_data;     /* the server's own */

  /* `event`: a fixed dotted name that alerts can rely on, "redis.connected"; `message`: a sentence. Never a key, a
   * secret or a client's address. */
  void (*log)(const struct kb_host* host, int32_t level, kb_view event, kb_view message);

  /* Says why the call is about to return a failure. The last explanation counts. */
  void (*explain)(kb_call* call, const kb_explanation* why);

  /* Not 0 once nobody waits for the call's answer. Long loops and waits look at it, at least every 10 ms. */
  int32_t (*cancelled)(const kb_call* call);

  uint64_t (*monotonic_ns)(const struct kb_host* host);
  int64_t (*wall_ms)(const struct kb_host* host); /* milliseconds since 1970-01-01T00:00:00Z */

  /* Registers a series "kbase_plugin_NAME" labelled with the plugin's id, and returns its number; UINT32_MAX: the name
   * is not made of a-z, 0-9 and _, or there is no room. The same name gives the same number. The name of a counter ends
   * with _total, which is added where it is missing, and that of a gauge never does. */
  uint32_t (*metric)(const struct kb_host* host, int32_t kind, kb_view name, kb_view help);
  void (*metric_add)(const struct kb_host* host, uint32_t metric, int64_t amount);

  /* Further services by id ("kbase.http_client/1"); NULL: this server has it not. The table lives as long as the
   * server. */
  const void* (*get_extension)(const struct kb_host* host, const char* id);
} kb_host;

/* ---- what every port's table begins with -------------------------------------------------------------------------
 *
 * struct_size      sizeof the table.
 * inline_calls     KB_<PORT>_INLINE_ bits of the functions that never block longer than a page fault: the server may
 *                  call these on the threads that answer requests. 0 is always right.
 * flags            KB_TABLE_SERIAL: at most one call of an instance at a time, which the server sees to (then
 *                  inline_calls is 0). Other instances, and create, may run beside it.
 * capabilities     KB_<PORT>_CAN_ bits: what an instance can do, unless its settings turn it off.
 * config_schema    A JSON Schema, static and zero-terminated, of the settings that create() takes: an object with
 *                  "properties", each of which has a type and a description. The server understands type, properties,
 *                  required, additionalProperties, enum, default, minimum, maximum, minLength and maxLength (in code
 *                  points), items, writeOnly and format; title and examples are for people. Formats are
 *                    path         made absolute
 *                    size         "64KiB", "1MiB", or bytes; minimum and maximum are in bytes
 *                    duration     "500ms", "10s", "5m", "24h", "90d"; minimum and maximum are in milliseconds
 *                    server-url   SCHEME://HOST and what follows; where it is writeOnly, user and password alone are
 *                                 hidden
 *                  and sizes and durations reach create() as they were written. The server refuses what does not fit
 *                  with file, line and key, fills in defaults, and hides writeOnly values, which may be written as
 *                  file:PATH. A default may begin with "${data_dir}", the server's own folder, or "${instance}", the
 *                  name of its knowledge base. Keywords and formats that a server does not know are ignored. A plugin
 *                  has one schema for its stores of items, views and keys: that of the items. NULL: no settings.
 *                  Some properties mean something to the server too: `base_url` and `url` are what kbase/http_client.h
 *                  lends HTTP to; `path` of a search index is where it has its files; an item store with `if_missing`
 *                  is given "fail" where nothing is to be made. Two are the server's own and never reach create():
 *                  `default_model` of a language model, and `load` of an item store that does not persist. Any further
 *                  one will begin with "kbase_".
 * create           Makes an instance. `config` is JSON text that fits the schema. May wait (the server starts), but
 *                  starts no thread that outlives destroy. KB_INVALID_ARGUMENT with `parameter`: a setting is wrong.
 *                  KB_NOT_FOUND: what is to be opened is not there, and the settings say not to make it. On any status
 *                  but KB_OK `*instance` is not looked at; on KB_OK it is not NULL. Several instances may live at once.
 * destroy          Ends the instance after its last call has returned and its last batch has ended: joins its threads,
 *                  closes its files. Never fails. The code stays loaded.
 * health           KB_OK: it can work. Waits no longer than the call's deadline.
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

  /* The table of a port ("kbase.cache/1"), static; NULL: not offered. Any thread, always the same answer. */
  const void* (*get_port)(const char* port_id);
} kb_plugin;

/* The one symbol that a plugin exports. Returns its descriptor and does nothing else: no thread, file, log or lock. */
#define KB_PLUGIN_ENTRY kb_plugin_entry
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const kb_plugin*
kb_plugin_entry(void) KB_NOEXCEPT;

/* An ELF note by which a server refuses a file before any of its code runs. Write KB_NOTE; once in one source file.
 * Its descriptor: major, minor, needs_minor, 0. */
typedef struct kb_elf_note {
  uint32_t name_size, descriptor_size, type;
  char name[8];
  uint32_t descriptor[4];
} kb_elf_note;

#if defined(__clang__)
#define KB_NO_RED_ZONE __attribute__((no_sanitize("address"))) /* it would be read as part of the note */
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
