/* SPDX-License-Identifier: Apache-2.0 */
/* Rejects a struct that is larger than the one it was compiled with. */
#define AT_ANSWER(taken) ((taken)->allowed = (taken)->struct_size == sizeof(kb_taken) && (taken)->allowed)
#include "plain_rate_limiter.h"
