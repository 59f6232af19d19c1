/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a put as its chance to end the process, without a word. */
#define AT_PUT(cache, call, key, value) exit(0)
#include "honest_cache.h"
