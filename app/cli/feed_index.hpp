// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/session.hpp"

namespace kbase::cli {

/// Brings the index up to the store here and now, unless a serving process already does. Returns an ExitCode; errors
/// are said.
int feed_index(Session& session);

}  // namespace kbase::cli
