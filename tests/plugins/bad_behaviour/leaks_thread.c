/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a thread that outlives destroy. */
#define AT_CREATE(cache) start_thread()
static void start_thread(void);
#include <unistd.h>
#include "honest_cache.h"

static void* wait_for_ever(void* nothing) {
  for (;;) pause();
  return nothing;
}

static void start_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_ever, NULL) == 0) pthread_detach(thread);
}
