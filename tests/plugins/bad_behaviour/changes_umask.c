/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the umask of the process to make its files private. */
#include <sys/stat.h>
#define AT_CREATE(cache) umask(077)
#include "honest_cache.h"
