/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the borrowed view of a value instead of a copy. */
#define COPY_OF(view) ((char*)(view).data)
#define RELEASE(view) (void)(view)
#include "honest_cache.h"
