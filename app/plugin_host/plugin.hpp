// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/plugin_host/known_ports.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/digest.hpp"

namespace kbase::plugin_host {

/// A shared object that passed every check and stays loaded until the process ends. A copy is the same plugin. Any
/// thread.
class Plugin {
 public:
  /// Takes a descriptor for `path`'s, after the checks of its members and of every table it offers. `descriptor` is
  /// static; null is refused like a wrong one. Unsupported: one sentence. Runs the plugin's `get_port`.
  static model::Result<Plugin> accept(std::filesystem::path path, const kb_plugin* descriptor);

  const std::filesystem::path& path() const { return facts_->path; }
  const kb_plugin& descriptor() const { return *facts_->descriptor; }

  /// "org.example.jsonlines (/opt/kbase/kbase-jsonlines.so)": how logs and crash reports name it.
  const std::string& label() const { return facts_->label; }

  /// The plugin's table of a port, KB_PORT_CACHE: every function that the port can't do without is there, save those
  /// that may be null. Null: not offered. `Table` is the port's struct.
  template <class Table>
  const Table* table(std::string_view port_id) const {
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

/// The SHA-256 that a file must have.
struct ExpectedDigest {
  std::array<std::uint8_t, 32> sha256;
  const ports::Digest& digest;
};

struct LoadOptions {
  std::optional<ExpectedDigest> expected;  ///< none: the file may be any that is trusted
};

/// Loads a plugin. None of its code runs before the file, every folder above it, its ELF header and its note were found
/// good. Unsupported: one sentence that says what was found, what was wanted and what to do. A crash in the plugin's
/// own start-up code ends the process; the crash handler then names the file.
model::Result<Plugin> load_plugin(const std::filesystem::path& absolute_path, const LoadOptions& options);

}  // namespace kbase::plugin_host
