// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <memory>
#include <span>
#include <string_view>

#include "app/plugin_check/smoke_test.hpp"

namespace kbase::plugin_check {

/// The common beginning of every port's table, for code that does not depend on the port.
struct PortAccess {
  std::string_view id;      ///< "kbase.cache/1"
  std::string_view header;  ///< "kbase/cache.h"
  std::string_view table;   ///< "kb_cache_v1"
  kb_status (*create)(const void* table, const kb_host* host, kb_call* call, kb_view config, void** instance);
  void (*destroy)(const void* table, void* instance);
  kb_status (*health)(const void* table, void* instance, kb_call* call);
  /// Null: the port calls an upstream server, so the checker has no smoke test for it.
  std::unique_ptr<SmokeTest> (*smoke_test)(const void* table, void* instance);
};

/// Returns the access of every port.
std::span<const PortAccess> port_accesses();

}  // namespace kbase::plugin_check
