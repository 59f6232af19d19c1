/* SPDX-License-Identifier: Apache-2.0 */
/* Valid plugin. */
#include "honest_cache.h"
