/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in a member that the struct it was given does not have. */
#define AT_ANSWER(taken) (((int64_t*)((taken) + 1))[0] = 0)
#include "plain_rate_limiter.h"
