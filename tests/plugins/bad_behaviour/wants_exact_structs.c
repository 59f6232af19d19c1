/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a struct that has grown for a wrong one. */
#define AT_ANSWER(taken) ((taken)->allowed = (taken)->struct_size == sizeof(kb_taken) && (taken)->allowed)
#include "plain_rate_limiter.h"
