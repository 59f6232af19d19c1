/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a file open after destroy. */
#define AT_CREATE(cache) open_file()
static void open_file(void);
#include <fcntl.h>
#include "honest_cache.h"

static void open_file(void) {
  if (open("/dev/null", O_RDONLY) < 0) abort();
}
