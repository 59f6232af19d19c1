// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include "app/plugin_check/lending.hpp"

namespace kbase::plugin_check {

/// The host table of a server of ABI 1.0, with nothing behind it that could change a check's outcome: clocks are the
/// machine's, what is logged is dropped, there is no extension. It stands at the edge of readable memory, so that a
/// plugin which reads what such a server lacks ends its process.
class LentHost {
 public:
  LentHost();

  const kb_host* table() const noexcept { return table_; }

 private:
  EdgeMemory memory_;
  kb_host* table_;
};

}  // namespace kbase::plugin_check
