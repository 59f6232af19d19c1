/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/cache.h: port kbase.cache/1. Generated from ports/definitions/cache.port.
 *
 * Stores values for a limited time. A miss is always allowed. A wrong, truncated or expired value is never allowed.
 * Keys are 1 to 512 bytes, values up to 16 MiB; both may be any bytes. */
#ifndef KBASE_CACHE_H
#define KBASE_CACHE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_CACHE "kbase.cache/1"

#define KB_CACHE_INLINE_CALLS 1u /* get, put and erase never block. */

typedef int32_t (*kb_value_sink)(void* data, kb_view value);

typedef struct kb_cache kb_cache;

typedef struct kb_cache_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_cache** instance);
  void (*destroy)(kb_cache* cache);
  kb_status (*health)(kb_cache* cache, kb_call* call);

  /* Passes the value to the sink, once. KB_NOT_FOUND: a miss. */
  kb_status (*get)(kb_cache* cache, kb_call* call, kb_view key, kb_value_sink sink, void* data);

  /* Stores a copy for at most `time_to_live_ms` (above 0, by kb_host.monotonic_ns), in place of the value that the
   * key had. The cache may drop the copy at any time, or not store it at all. */
  kb_status (*put)(kb_cache* cache, kb_call* call, kb_view key, kb_view value, uint64_t time_to_live_ms);

  /* Removes the value of the key. No later call returns a value that was put before. KB_OK also if there was none. */
  kb_status (*erase)(kb_cache* cache, kb_call* call, kb_view key);
} kb_cache_v1;

#ifdef __cplusplus
}
#endif

#endif
