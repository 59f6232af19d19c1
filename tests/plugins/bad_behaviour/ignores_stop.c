/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the sink again after it returned "stop". */
#define PASS(cache, sink, data, value) ((sink)((data), (value)) == 0 ? KB_OK : ((sink)((data), (value)), KB_OK))
#include "honest_cache.h"
