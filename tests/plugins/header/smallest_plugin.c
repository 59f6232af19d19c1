// SPDX-License-Identifier: Apache-2.0
/* Minimal plugin in the common subset of C99 and C++11. It uses every macro of the headers that is more than a
 * number. */
#include <kbase/plugin.h>

KB_NOTE;

static const void* get_port(const char* port_id) {
  (void)port_id;
  return NULL;
}

static const kb_plugin plugin = {sizeof(kb_plugin), KB_ABI_MAJOR, KB_ABI_MINOR, "org.example.smallest",
                                 "1.0.0",           "Example",    "Apache-2.0", get_port};

const kb_plugin* KB_PLUGIN_ENTRY(void) KB_NOEXCEPT { return KB_HAS(&plugin, get_port) ? &plugin : NULL; }
