/* SPDX-License-Identifier: Apache-2.0 */
/* Uses a host member that a server of ABI 1.0 lacks, without checking for it. */
#define AT_CREATE(cache) use_newer_member(host)
#include <kbase/plugin.h>
static void use_newer_member(const kb_host* host);
#include "honest_cache.h"

static void use_newer_member(const kb_host* host) {
  const struct {
    kb_host known;
    void (*newer)(void);
  }* newer = (const void*)host;
  if (newer->newer != NULL) newer->newer();
}
