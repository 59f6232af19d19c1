// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/cli/command.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"

namespace kbase::cli {

/// What a command needs that reads or writes the stores without serving.
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

/// Makes the data folder and opens the stores.
model::Status open_stores(Session& session);

/// Loads the settings, then does `work` with them, the stores not opened; errors of the settings are said.
int with_session(const ConfigArguments& arguments, const std::function<int(Session&)>& work);

/// Loads the settings and opens the stores, then does `work` with them; errors of either are said.
int with_stores(const ConfigArguments& arguments, const std::function<int(Session&)>& work);

}  // namespace kbase::cli
