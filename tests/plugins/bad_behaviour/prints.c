/* SPDX-License-Identifier: Apache-2.0 */
/* Prints to standard output. */
#include <stdio.h>
#define AT_CREATE(cache) puts("cache created")
#include "honest_cache.h"
