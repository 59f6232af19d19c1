// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/composition/backends.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::composition {

/// Fills a storage that keeps nothing from the sources named by `storage.config.load`; none: leaves it as it is.
model::Status load_content(const std::vector<std::string>& names, Stores& stores, const ports::Clock& clock);

}  // namespace kbase::composition
