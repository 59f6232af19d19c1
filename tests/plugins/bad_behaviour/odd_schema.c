/* SPDX-License-Identifier: Apache-2.0 */
/* Its schema uses what no server understands, and says nothing of what its setting is. */
#define SCHEMA "{\"type\": \"object\", \"properties\": {\"size\": {\"type\": \"integer\", \"multipleOf\": 4}}}"
#include "honest_cache.h"
