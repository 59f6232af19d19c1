/* SPDX-License-Identifier: Apache-2.0 */
/* Makes its files private by a means that is not its own. */
#include <sys/stat.h>
#define AT_CREATE(cache) umask(077)
#include "honest_cache.h"
