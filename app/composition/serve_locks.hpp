// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "app/config/settings.hpp"
#include "app/runtime/serve_lock.hpp"
#include "domain/model/result.hpp"

namespace kbase::composition {

/// Of the folders that belong to one server.
struct ServeLocks {
  runtime::ServeLock data;
  std::optional<runtime::ServeLock> index;
};

/// Two servers with one index would each rebuild it for their own store, over and over.
model::Result<ServeLocks> take_locks(const config::Settings& settings);

}  // namespace kbase::composition
