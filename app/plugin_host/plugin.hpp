// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/plugin_host/known_ports.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::plugin_host {

/// A shared object that passed all checks; it stays loaded until the process ends. Copies refer to the same plugin.
/// Thread-safe.
class Plugin {
 public:
  /// Creates a Plugin from the descriptor of `path`, after checking its members and every table it offers. `descriptor`
  /// is static; null is refused as invalid. Runs the plugin's `get_port`. Error: Unsupported, one sentence.
  static Result<Plugin> accept(std::filesystem::path path, const kb_plugin* descriptor);

  const std::filesystem::path& path() const { return facts_->path; }
  const kb_plugin& descriptor() const { return *facts_->descriptor; }

  /// Returns "org.example.jsonlines (/opt/kbase/kbase-jsonlines.so)", the name in logs and crash reports.
  const std::string& label() const { return facts_->label; }

  /// Returns the plugin's table of a port, for example KB_PORT_CACHE; null: not offered. All mandatory functions are
  /// present, except those that may be null. `Table` must be the port's struct.
  template <class Table> const Table* table(std::string_view port_id) const {
    return static_cast<const Table*>(find_table(port_id));
  }

 private:
  struct Facts {
    std::filesystem::path path;
    const kb_plugin* descriptor;
    std::string label;
    std::array<const void*, kKnownPorts> tables;  ///< in the order of known_ports()
  };

  explicit Plugin(std::shared_ptr<const Facts> facts) : facts_(std::move(facts)) {}
  const void* find_table(std::string_view port_id) const;

  std::shared_ptr<const Facts> facts_;
};

/// The SHA-256 digest that a file must have.
struct ExpectedDigest {
  std::array<std::uint8_t, 32> sha256;
  const ports::Digest& digest;
};

struct LoadOptions {
  std::optional<ExpectedDigest> expected;  ///< nullopt: any trusted file is accepted
};

/// Loads a plugin. Its code runs only after the file, every folder above it, its ELF header and its note have passed
/// the checks. Error: Unsupported, one sentence with what was found, what is expected and a remedy. A crash in the
/// plugin's start-up code ends the process; the crash handler then names the file.
Result<Plugin> load_plugin(const std::filesystem::path& absolute_path, const LoadOptions& options);

/// Returns the path of this program's file, with all links resolved.
std::filesystem::path own_program();

/// Returns the absolute plugin directories in search order: `plugins.directories` of the configuration, `plugins` of
/// the build tree next to the program's folder, and `lib/kbase/plugins` of the installation with the program in `bin`.
/// Includes directories that do not exist.
std::vector<std::filesystem::path> plugin_directories(std::span<const std::string> configured,
                                                      const std::filesystem::path& program);

/// Convert NAME to "kbase-NAME.so" and back; empty: not a plugin file name.
std::string file_name_of(std::string_view plugin_name);
std::string plugin_name_of(const std::filesystem::path& file);

/// Resolves `plugin:` of a configuration: an absolute path is returned unchanged; for a NAME, returns `kbase-NAME.so`
/// from the first of `directories` that contains it. Opens nothing. Errors: Unsupported if `plugin` is neither a NAME
/// (a-z, 0-9, _ and -) nor an absolute path; NotFound if no directory contains the file; the message lists the
/// directories.
Result<std::filesystem::path> find_plugin(std::string_view plugin, std::span<const std::filesystem::path> directories);

/// Returns the plugin files in `directories`, in the order of the directories and by name within each. If a NAME occurs
/// several times, find_plugin() returns the first. An unreadable directory counts as empty.
std::vector<std::filesystem::path> list_plugins(std::span<const std::filesystem::path> directories);

}  // namespace kbase::plugin_host
