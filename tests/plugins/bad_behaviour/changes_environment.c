/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the environment of the process, beginning when it is loaded. */
#include "honest_cache.h"

__attribute__((constructor)) static void change(void) { setenv("EXAMPLE_CACHE", "1", 1); }
