/* SPDX-License-Identifier: Apache-2.0 */
/* Compares only the start of a port's id. */
#define CARELESS_GET_PORT
#include "honest_cache.h"
