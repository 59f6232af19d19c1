/* SPDX-License-Identifier: Apache-2.0 */
/* Its schema uses a keyword that the server does not support and has no description of its setting. */
#define SCHEMA "{\"type\": \"object\", \"properties\": {\"size\": {\"type\": \"integer\", \"multipleOf\": 4}}}"
#include "honest_cache.h"
