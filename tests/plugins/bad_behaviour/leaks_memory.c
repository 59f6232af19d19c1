/* SPDX-License-Identifier: Apache-2.0 */
/* Leaks 64 bytes with each instance. */
#define AT_CREATE(cache) ((cache)->next = (malloc(64) == NULL))
#include "honest_cache.h"
