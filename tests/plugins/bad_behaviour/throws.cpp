// SPDX-License-Identifier: Apache-2.0
// Cache whose put always throws an exception.
#include <kbase/plugin.h>

#include <cstring>
#include <stdexcept>

namespace {

int instance_of_nothing;

kb_status create(const kb_host*, kb_call*, kb_view, kb_cache** instance) {
  *instance = reinterpret_cast<kb_cache*>(&instance_of_nothing);
  return KB_OK;
}
void destroy(kb_cache*) {}
kb_status health(kb_cache*, kb_call*) { return KB_OK; }
kb_status get(kb_cache*, kb_call*, kb_view, kb_value_sink, void*) { return KB_NOT_FOUND; }
kb_status put(kb_cache*, kb_call*, kb_view, kb_view, std::uint64_t) { throw std::runtime_error("no memory"); }
kb_status erase(kb_cache*, kb_call*, kb_view) { return KB_OK; }

const kb_cache_v1 table = {sizeof(kb_cache_v1), 0, 0, 0, nullptr, create, destroy, health, get, put, erase};

const void* get_port(const char* id) { return std::strcmp(id, KB_PORT_CACHE) == 0 ? &table : nullptr; }

const kb_plugin plugin = {sizeof(kb_plugin), KB_ABI_MAJOR, KB_ABI_MINOR, "org.example.throws",
                          "1.0.0",           "Example",    "Apache-2.0", get_port};

}  // namespace

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &plugin; }
