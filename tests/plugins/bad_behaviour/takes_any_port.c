/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the beginning of a port's id alone. */
#define CARELESS_GET_PORT
#include "honest_cache.h"
