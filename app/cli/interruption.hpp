// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace kbase::cli {

/// Installs handlers for SIGINT and SIGTERM that set the returned flag. Long operations check it between two records
/// and then report what was stored. The flag lives as long as the process.
const std::atomic<bool>& watch_for_interruption();

}  // namespace kbase::cli
