/* SPDX-License-Identifier: Apache-2.0 */
/* Cache that never stores a value. The build can make each part below invalid with -DNAME=...; unchanged, the plugin
 * is valid. */
#define _POSIX_C_SOURCE 200809L
#include <kbase/plugin.h>
#include <stdlib.h>
#include <string.h>

void kb_missing_function(void); /* in no library */

/* Content of the ELF note. */
#ifndef NOTE
#define NOTE \
  { KB_ABI_MAJOR, KB_ABI_MINOR, KB_NEEDS_MINOR, 0 }
#endif
#ifndef NOTE_NAME
#define NOTE_NAME "kbase\0"
#endif

/* The plugin descriptor. */
#ifndef DESCRIPTOR
#define DESCRIPTOR &plugin
#endif
#ifndef DESCRIPTOR_SIZE
#define DESCRIPTOR_SIZE sizeof(kb_plugin)
#endif
#ifndef DESCRIPTOR_MAJOR
#define DESCRIPTOR_MAJOR KB_ABI_MAJOR
#endif
#ifndef ID
#define ID "org.example.nothing"
#endif
#ifndef VERSION
#define VERSION "1.2.3"
#endif
#ifndef VENDOR
#define VENDOR "Example"
#endif
#ifndef LICENSE
#define LICENSE "Apache-2.0"
#endif
#ifndef GET_PORT
#define GET_PORT get_port
#endif

/* The only port table. */
#ifndef PORT
#define PORT KB_PORT_CACHE
#endif
#ifndef TABLE_SIZE
#define TABLE_SIZE sizeof(kb_cache_v1)
#endif
#ifndef INLINE_CALLS
#define INLINE_CALLS KB_CACHE_INLINE_CALLS
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef ERASE
#define ERASE erase
#endif

/* Name of the entry function, and code that it runs before it returns. */
#ifndef ENTRY
#define ENTRY kb_plugin_entry
#endif
/* SIGSEGV that the compiler does not predict. */
__attribute__((unused)) static void write_to_nowhere(void) {
  volatile int* volatile nowhere = (volatile int*)8;
  *nowhere = 1;
}

#ifndef ENTRY_DOES
#define ENTRY_DOES (void)0
#endif

__attribute__((used, aligned(4), section(".note.kbase"))) static const kb_elf_note note = {6, 16, KB_NOTE_TYPE,
                                                                                           NOTE_NAME, NOTE};

/* Sets an environment variable, so that a test can detect whether any code of the file ran. */
__attribute__((constructor)) static void leave_a_trace(void) { setenv("KBASE_TEST_PLUGIN_RAN", "yes", 1); }

static int a_cache;

static kb_status create(const kb_host* host, kb_call* call, kb_view config, kb_cache** instance) {
  (void)host, (void)call, (void)config;
  *instance = (kb_cache*)(void*)&a_cache;
  return KB_OK;
}

static void destroy(kb_cache* cache) { (void)cache; }

static kb_status health(kb_cache* cache, kb_call* call) {
  (void)cache, (void)call;
  return KB_OK;
}

static kb_status get(kb_cache* cache, kb_call* call, kb_view key, kb_value_sink sink, void* data) {
  (void)cache, (void)call, (void)key, (void)sink, (void)data;
  return KB_NOT_FOUND;
}

static kb_status put(kb_cache* cache, kb_call* call, kb_view key, kb_view value, uint64_t time_to_live_ms) {
  (void)cache, (void)call, (void)key, (void)value, (void)time_to_live_ms;
  return KB_OK;
}

static kb_status erase(kb_cache* cache, kb_call* call, kb_view key) {
  (void)cache, (void)call, (void)key;
  return KB_OK;
}

static const kb_cache_v1 table = {TABLE_SIZE, INLINE_CALLS, FLAGS, 0, NULL, create, destroy, health, get, put, ERASE};

static const void* get_port(const char* port_id) { return strcmp(port_id, PORT) == 0 ? &table : NULL; }

static const kb_plugin plugin = {DESCRIPTOR_SIZE, DESCRIPTOR_MAJOR, KB_ABI_MINOR, ID,
                                 VERSION,         VENDOR,           LICENSE,      GET_PORT};

__attribute__((visibility("default"))) const kb_plugin* ENTRY(void) {
  ENTRY_DOES;
  return DESCRIPTOR;
}
