// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "app/config/settings.hpp"
#include "app/runtime/serve_lock.hpp"
#include "domain/model/result.hpp"

namespace kbase::composition {

/// Locks on the folders that only one server at a time may use.
struct ServeLocks {
  runtime::ServeLock data;
  std::optional<runtime::ServeLock> index;
};

/// Locks data_dir, and the index folder if it is elsewhere. Two servers on one index would each rebuild it for their
/// own store again and again.
model::Result<ServeLocks> take_locks(const config::Settings& settings);

}  // namespace kbase::composition
