/* SPDX-License-Identifier: Apache-2.0 */
/* Crashes when the process ends. */
#include "honest_cache.h"

__attribute__((destructor)) static void crash(void) { *(volatile int*)8 = 1; }
