/* SPDX-License-Identifier: Apache-2.0 */
/* Does not care whether it can use the folder that it was given. */
#define SCHEMA                                                                                          \
  "{\"type\": \"object\", \"required\": [\"path\"], \"properties\": {\"path\": {\"type\": \"string\", " \
  "\"format\": \"path\", \"description\": \"The folder.\"}}}"
#include "honest_cache.h"
