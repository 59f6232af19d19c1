/* SPDX-License-Identifier: Apache-2.0 */
/* Exports a function in addition to its entry function. */
#include "honest_cache.h"

void another_function(void);
__attribute__((visibility("default"))) void another_function(void) {}
