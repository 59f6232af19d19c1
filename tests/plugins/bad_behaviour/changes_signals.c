/* SPDX-License-Identifier: Apache-2.0 */
/* Ignores SIGPIPE in the whole process. */
#include <signal.h>
#define AT_CREATE(cache) signal(SIGPIPE, SIG_IGN)
#include "honest_cache.h"
