// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/config/settings.hpp"
#include "domain/model/result.hpp"

namespace kbase::composition {

/// Whether the files that only a server reads, at its start, are there: the explorer's pages and the authorities of
/// certificates. InvalidArgument: one is not; `parameter` is the key that names it, and the message the bare reason.
model::Status check_named_files(const config::Settings& settings);

}  // namespace kbase::composition
