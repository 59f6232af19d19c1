/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a member beyond the end of the struct that it received. */
#define AT_ANSWER(taken) (((int64_t*)((taken) + 1))[0] = 0)
#include "plain_rate_limiter.h"
