/* SPDX-License-Identifier: Apache-2.0 */
/* Never returns from get. */
#include <unistd.h>
#define AT_GET(cache, call, key) \
  for (;;) pause()
#include "honest_cache.h"
