/* SPDX-License-Identifier: Apache-2.0 */
/* All instances share one state; the first destroy frees it. */
#define AT_CREATE(cache) share(instance)
#define AT_DESTROY(cache)              \
  do {                                 \
    memset(cache, 0, sizeof *(cache)); \
    shared = NULL;                     \
    return;                            \
  } while (0)
#include <kbase/plugin.h>
static void share(kb_cache** instance);
static kb_cache* shared;
#include "honest_cache.h"

static void share(kb_cache** instance) {
  if (shared == NULL) {
    shared = *instance;
    return;
  }
  free(*instance);
  *instance = shared;
}
