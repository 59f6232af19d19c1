/* SPDX-License-Identifier: Apache-2.0 */
/* Talks to a library through the environment, from its first moment on. */
#include "honest_cache.h"

__attribute__((constructor)) static void change(void) {
  setenv("EXAMPLE_CACHE", "1", 1);
}
