// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "app/plugin_host/host_table.hpp"
#include "plugins/conformance/language_model_fixture.hpp"
#include "tests/plugins/host_fixture.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/temporary_folder.hpp"

/// Fixture for contract suites through the C boundary: the shared objects that the server loads, behind its proxies.
namespace kbase::tests {

template <class Value> Value value_of(Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().message + " (" + result.error().detail + ")");
  return *std::move(result);
}

/// Port of a plugin under test, and its settings for a folder.
template <class Port> struct PluginPort {
  const char* file;
  plugin_host::Opened<Port> (*open)(const plugin_host::Plugin&, const plugin_host::HostTable&, std::string_view);
  std::string (*settings)(const std::filesystem::path& folder);
  bool persists;
};

template <class Port> class BoundaryFixture final : public conformance::FixtureOf<Port> {
 public:
  explicit BoundaryFixture(const PluginPort<Port>& plugin_port)
      : plugin_port_(plugin_port), plugin_(value_of(plugin_host::load_plugin(plugin_port.file, {}))) {
    open();
  }

  Port& port() override { return *port_; }

  bool reopen() override {
    if (!plugin_port_.persists) return false;
    port_.reset();
    open();
    return true;
  }

 private:
  void open() { port_ = value_of(plugin_port_.open(plugin_, host_, plugin_port_.settings(folder_.path()))); }

  const PluginPort<Port> plugin_port_;
  const plugin_host::Plugin plugin_;
  TemporaryFolder folder_;
  RecordingLog log_;
  const plugin_host::HostTable host_{plugin_, {this->clock, log_, nullptr, &this->upstream, true}};
  std::unique_ptr<Port> port_;
};

template <class Port>
bool register_plugin_contract(const char* name, const conformance::Suite<conformance::FixtureOf<Port>>& suite,
                              const PluginPort<Port>& plugin_port, const char* missing = nullptr) {
  return register_contract<conformance::FixtureOf<Port>>(
      name, suite, [plugin_port] { return std::make_unique<BoundaryFixture<Port>>(plugin_port); }, missing);
}

}  // namespace kbase::tests
