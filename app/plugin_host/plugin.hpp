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

}  // namespace kbase::plugin_host
