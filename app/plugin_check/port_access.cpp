// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/port_access.hpp"

#include <kbase/plugin.h>

namespace kbase::plugin_check {
namespace {

/// Functions that differ between ports only in the type of the instance.
template <class Table, class Instance>
struct Typed {
  static const Table& table_of(const void* table) { return *static_cast<const Table*>(table); }

  static kb_status create(const void* table, const kb_host* host, kb_call* call, kb_view config, void** instance) {
    Instance* made = nullptr;
    const kb_status status = table_of(table).create(host, call, config, &made);
    *instance = made;
    return status;
  }
  static void destroy(const void* table, void* instance) { table_of(table).destroy(static_cast<Instance*>(instance)); }
  static kb_status health(const void* table, void* instance, kb_call* call) {
    return table_of(table).health(static_cast<Instance*>(instance), call);
  }
  static std::unique_ptr<SmokeTest> smoke_test(const void* table, void* instance) {
    return smoke_test_of(table_of(table), static_cast<Instance*>(instance));
  }

  static constexpr PortAccess access(std::string_view id, std::string_view header, std::string_view name) {
    return {id, header, name, create, destroy, health, smoke_test};
  }
  static constexpr PortAccess access_without_use(std::string_view id, std::string_view header, std::string_view name) {
    return {id, header, name, create, destroy, health, nullptr};
  }
};

constexpr PortAccess kPorts[] = {
    Typed<kb_item_store_v1, kb_item_store>::access(KB_PORT_ITEM_STORE, "kbase/item_store.h", "kb_item_store_v1"),
    Typed<kb_activity_store_v1, kb_activity_store>::access(KB_PORT_ACTIVITY_STORE, "kbase/activity_store.h",
                                                           "kb_activity_store_v1"),
    Typed<kb_key_store_v1, kb_key_store>::access(KB_PORT_KEY_STORE, "kbase/key_store.h", "kb_key_store_v1"),
    Typed<kb_search_index_v1, kb_search_index>::access(KB_PORT_SEARCH_INDEX, "kbase/search_index.h",
                                                       "kb_search_index_v1"),
    Typed<kb_rate_limit_store_v1, kb_rate_limit_store>::access(KB_PORT_RATE_LIMIT_STORE, "kbase/rate_limit_store.h",
                                                               "kb_rate_limit_store_v1"),
    Typed<kb_cache_v1, kb_cache>::access(KB_PORT_CACHE, "kbase/cache.h", "kb_cache_v1"),
    Typed<kb_code_host_v1, kb_code_host>::access_without_use(KB_PORT_CODE_HOST, "kbase/code_host.h", "kb_code_host_v1"),
    Typed<kb_language_model_v1, kb_language_model>::access_without_use(KB_PORT_LANGUAGE_MODEL, "kbase/language_model.h",
                                                                       "kb_language_model_v1"),
};

}  // namespace

std::span<const PortAccess> port_accesses() {
  return kPorts;
}

}  // namespace kbase::plugin_check
