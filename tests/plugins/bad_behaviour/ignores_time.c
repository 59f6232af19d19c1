/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for something that takes its time, whatever the call says of deadline and cancellation. */
#include <poll.h>
#define AT_GET(cache, call, key) poll(NULL, 0, 200)
#include "honest_cache.h"
