/* SPDX-License-Identifier: Apache-2.0 */
/* Allows one request more than the limit, and reports a count of one less. */
#define LIMIT(limit) ((limit) + 1)
#include "plain_rate_limiter.h"
