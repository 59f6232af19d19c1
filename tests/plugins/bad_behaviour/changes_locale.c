/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the locale of the process. */
#include <locale.h>
#define AT_CREATE(cache) setlocale(LC_ALL, "C.UTF-8")
#include "honest_cache.h"
