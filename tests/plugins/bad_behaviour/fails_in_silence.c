/* SPDX-License-Identifier: Apache-2.0 */
/* Does not report that it cannot use the folder in its settings. */
#define SCHEMA                                                                                          \
  "{\"type\": \"object\", \"required\": [\"path\"], \"properties\": {\"path\": {\"type\": \"string\", " \
  "\"format\": \"path\", \"description\": \"The folder.\"}}}"
#include "honest_cache.h"
