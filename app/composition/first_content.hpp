// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/composition/backends.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::composition {

/// Imports the sources of `storage.config.load` into a storage that does not persist. No sources: no effect.
model::Status load_content(const std::vector<std::string>& names, Stores& stores, const ports::Clock& clock);

}  // namespace kbase::composition
