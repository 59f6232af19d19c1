// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace kbase::cli {

/// From now on Ctrl-C and SIGTERM end long work between two records, so that it can say what was kept. The flag they
/// set; lives as long as the process.
const std::atomic<bool>& watch_for_interruption();

}  // namespace kbase::cli
