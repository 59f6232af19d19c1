/* SPDX-License-Identifier: Apache-2.0 */
/* Writes to an invalid address in destroy, before it frees its memory. */
#define AT_DESTROY(cache) (*(volatile int*)8 = (cache)->next == 0)
#include "honest_cache.h"
