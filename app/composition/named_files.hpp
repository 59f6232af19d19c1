// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/config/settings.hpp"
#include "domain/model/result.hpp"

namespace kbase::composition {

/// Checks the configured files that only a server reads, at its start: the explorer's pages and the CA certificates.
/// Error: InvalidArgument for the first unusable one; `parameter` is its configuration key, and the message is the
/// reason only.
model::Status check_named_files(const config::Settings& settings);

}  // namespace kbase::composition
