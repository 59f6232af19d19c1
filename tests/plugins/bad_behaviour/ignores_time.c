/* SPDX-License-Identifier: Apache-2.0 */
/* Waits 200 ms and ignores the call's deadline and cancellation. */
#include <poll.h>
#define AT_GET(cache, call, key) poll(NULL, 0, 200)
#include "honest_cache.h"
