// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "app/cli/command.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"

namespace kbase::cli {

/// The context of a command that uses the stores without a server.
struct Session {
  const config::Settings settings;
  composition::Platform platform;
  composition::Backends backends;
  composition::Stores stores;

  explicit Session(config::Settings loaded)
      : settings(std::move(loaded)),
        platform(system::StderrLog::Format::Auto),
        backends(settings, platform, /*metrics=*/nullptr) {}
};

/// Creates the data directory and opens the stores.
Status open_stores(Session& session);

/// Loads the settings and runs `work` without opening the stores. Prints errors of the settings.
int with_session(const ConfigArguments& arguments, const std::function<int(Session&)>& work);

/// Loads the settings, opens the stores and runs `work`. Prints errors of both steps.
int with_stores(const ConfigArguments& arguments, const std::function<int(Session&)>& work);

/// Updates the index from the store in this process, unless a running server does. Prints errors. Returns an ExitCode.
int feed_index(Session& session);

/// Installs handlers for SIGINT and SIGTERM that set the returned flag. Long operations check it between two records
/// and then report what was stored. The flag lives as long as the process.
const std::atomic<bool>& watch_for_interruption();

}  // namespace kbase::cli
