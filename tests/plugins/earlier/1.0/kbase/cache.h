/* SPDX-License-Identifier: Apache-2.0 */
/* kbase/cache.h: port kbase.cache/1, values remembered for a while. A miss is always legal; a wrong, torn or expired
 * value never is. Keys are 1 to 512 bytes, values up to 16 MiB, any bytes.
 */
#ifndef KBASE_CACHE_H
#define KBASE_CACHE_H

#include "kbase/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KB_PORT_CACHE "kbase.cache/1"

#define KB_CACHE_INLINE_CALLS 1u /* get, put, erase */

typedef int32_t (*kb_value_sink)(void* data, kb_view value);

typedef struct kb_cache kb_cache;

typedef struct kb_cache_v1 {
  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities; /* none are defined */
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_cache** instance);
  void (*destroy)(kb_cache* cache);
  kb_status (*health)(kb_cache* cache, kb_call* call);

  /* Lends the value to the sink, once. KB_NOT_FOUND: a miss. */
  kb_status (*get)(kb_cache* cache, kb_call* call, kb_view key, kb_value_sink sink, void* data);

  /* Keeps a copy for at most `time_to_live_ms` (above 0, by kb_host.monotonic_ns); it may be dropped at any time, or
   * never be taken. Replaces what the key had. */
  kb_status (*put)(kb_cache* cache, kb_call* call, kb_view key, kb_view value, uint64_t time_to_live_ms);

  /* No value of the key put before is lent after this. KB_OK whether or not there was one. */
  kb_status (*erase)(kb_cache* cache, kb_call* call, kb_view key);
} kb_cache_v1;

#ifdef __cplusplus
}
#endif

#endif
