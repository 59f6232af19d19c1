/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a view for a C string. */
#define AT_PUT(cache, call, key, value) ((cache)->next += (key).data[(key).size] == 1)
#include "honest_cache.h"
