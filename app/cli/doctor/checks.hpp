// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"

/// `kbase doctor`: checks everything that a server needs. Changes nothing and acquires no lock that a server holds.
namespace kbase::cli::doctor {

enum class State {
  Ok,
  Skipped,  ///< nothing to check, or the check is impossible
  Warning,  ///< a possible problem; may be intended
  Failed,   ///< a problem to fix
};

/// The result of one check. The check's id is stable, for programs; docs/operations/doctor.md lists all ids.
struct Finding {
  std::string check;
  State state;
  std::string message;
  std::string remedy;  ///< empty unless the state is Warning or Failed
};

/// The findings in the order of the checks.
class Findings {
 public:
  void ok(std::string check, std::string message) { add(std::move(check), State::Ok, std::move(message), {}); }
  void skip(std::string check, std::string why) { add(std::move(check), State::Skipped, std::move(why), {}); }
  void warn(std::string check, std::string message, std::string remedy) {
    add(std::move(check), State::Warning, std::move(message), std::move(remedy));
  }
  void fail(std::string check, std::string message, std::string remedy) {
    add(std::move(check), State::Failed, std::move(message), std::move(remedy));
  }

  const std::vector<Finding>& all() const { return all_; }

 private:
  void add(std::string check, State state, std::string message, std::string remedy) {
    all_.push_back({std::move(check), state, std::move(message), std::move(remedy)});
  }

  std::vector<Finding> all_;
};

/// The settings, as far as they can be loaded.
struct ReadSettings {
  std::optional<config::Settings> settings;  ///< nullopt: they cannot be loaded
  bool is_valid = false;                     ///< false: only the names of plugins are reliable
};
ReadSettings check_configuration(const ConfigArguments& arguments, Findings& findings);

/// Checks the plugin of each section.
void check_plugins(const config::Settings& settings, Findings& findings);

/// Returns the server process that uses a folder. nullopt: none was found.
std::optional<pid_t> server_of(const std::filesystem::path& folder);

/// Reports whether a server runs. Informational, never a failure.
void check_server(const config::Settings& settings, std::optional<pid_t> server, Findings& findings);

/// Checks the data directory, and the index folder if it is elsewhere: existence, permissions and free disk space.
void check_folders(const config::Settings& settings, Findings& findings);

/// Context of the checks of back ends.
struct Base {
  const config::Settings& settings;
  composition::Platform& platform;
  composition::Backends& backends;
  std::optional<pid_t> server;
};

/// Checks the stores, the keys and the index.
void check_content(Base& base, Findings& findings);

/// Checks the rate limiter and the difference between its clock and ours.
void check_rate_limiter(Base& base, Findings& findings);
void check_cache(Base& base, Findings& findings);
void check_code_host(Base& base, Findings& findings);
void check_language_model(Base& base, Findings& findings);

/// Checks certificates and clocks of the services whose URLs are configured.
void check_origins(Base& base, Findings& findings);

/// Checks the limits of open files and threads of the server, or of this process if no server was found.
void check_limits(const config::Settings& settings, std::optional<pid_t> server, Findings& findings);

/// Checks whether the machine's clock is synchronized.
void check_clock(Findings& findings);

/// Compares another clock with this machine's. `precision` is that of `theirs`.
void compare_clocks(std::string check, model::Instant theirs, model::Instant ours, std::chrono::milliseconds precision,
                    Findings& findings);

/// A section that selects a plugin.
struct Section {
  std::string_view name;
  const config::Backend& backend;
};
std::vector<Section> sections_of(const config::Settings& settings);
config::ChosenPlugin chosen(const config::Settings& settings, const Section& section);

}  // namespace kbase::cli::doctor
