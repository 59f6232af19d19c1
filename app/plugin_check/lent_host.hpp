// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include "app/plugin_check/lending.hpp"

namespace kbase::plugin_check {

/// The host table of a server of ABI 1.0, with neutral services: clocks are the machine's, log messages are dropped,
/// there is no extension. The table ends at the end of readable memory, so that a plugin that reads members which such
/// a server lacks crashes.
class LentHost {
 public:
  LentHost();

  const kb_host* table() const noexcept { return table_; }

 private:
  EdgeMemory memory_;
  kb_host* table_;
};

}  // namespace kbase::plugin_check
