// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/session.hpp"

namespace kbase::cli {

/// Updates the index from the store in this process, unless a running server does. Prints errors. Returns an ExitCode.
int feed_index(Session& session);

}  // namespace kbase::cli
