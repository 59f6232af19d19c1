/* SPDX-License-Identifier: Apache-2.0 */
/* Treats a view as a NUL-terminated string. */
#define AT_PUT(cache, call, key, value) ((cache)->next += (key).data[(key).size] == 1)
#include "honest_cache.h"
