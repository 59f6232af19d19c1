/* SPDX-License-Identifier: Apache-2.0 */
/* Writes where nothing is before it frees what it made. */
#define AT_DESTROY(cache) (*(volatile int*)8 = (cache)->next == 0)
#include "honest_cache.h"
