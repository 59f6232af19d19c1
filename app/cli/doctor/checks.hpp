// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/command.hpp"
#include "app/cli/doctor/findings.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"

namespace kbase::cli::doctor {

/// The settings as far as they can be read.
struct ReadSettings {
  std::optional<config::Settings> settings;  ///< nullopt: not at all
  bool is_sound = false;                     ///< false: of plugins only the names are to be trusted
};
ReadSettings check_configuration(const ConfigArguments& arguments, Findings& findings);

/// The plugin of each section.
void check_plugins(const config::Settings& settings, Findings& findings);

/// The process that serves a folder; nullopt: none is seen.
std::optional<pid_t> server_of(const std::filesystem::path& folder);

/// Whether a server runs, for whoever reads the rest.
void check_server(const config::Settings& settings, std::optional<pid_t> server, Findings& findings);

/// The folders of the data, and of an index that is elsewhere: that they are there, whose, and how full the disk is.
void check_folders(const config::Settings& settings, Findings& findings);

/// What the checks of back ends share.
struct Base {
  const config::Settings& settings;
  composition::Platform& platform;
  composition::Backends& backends;
  std::optional<pid_t> server;
};

/// The stores, the keys in them, and the index beside them.
void check_content(Base& base, Findings& findings);

/// The rate limiter, and how far its clock is from ours.
void check_rate_limiter(Base& base, Findings& findings);
void check_cache(Base& base, Findings& findings);
void check_code_host(Base& base, Findings& findings);
void check_language_model(Base& base, Findings& findings);

/// Certificates and clocks of services that sections name by a URL.
void check_origins(Base& base, Findings& findings);

/// What the system gives the server, or this process where none is seen: open files and threads.
void check_limits(const config::Settings& settings, std::optional<pid_t> server, Findings& findings);

/// Whether something keeps the machine's clock right.
void check_clock(Findings& findings);

/// A clock beside ours; `theirs` is as precise as `precision`.
void compare_clocks(std::string check, model::Instant theirs, model::Instant ours, std::chrono::milliseconds precision,
                    Findings& findings);

/// A section that names a plugin.
struct Section {
  std::string_view name;
  const config::Backend& backend;
};
std::vector<Section> sections_of(const config::Settings& settings);
config::ChosenPlugin chosen(const config::Settings& settings, const Section& section);

/// The first of the paths in a section's `config` (those that its plugin's schema calls so) where nothing is. Empty:
/// all are there, or the section's back end is on other machines.
std::filesystem::path missing_path(const config::Settings& settings, const Section& section);

}  // namespace kbase::cli::doctor
