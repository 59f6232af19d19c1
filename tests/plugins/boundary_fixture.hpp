// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "app/plugin_host/open_ports.hpp"
#include "plugins/conformance/language_model_fixture.hpp"
#include "tests/plugins/host_world.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/temporary_folder.hpp"

/// Fixture for contract suites through the C boundary: the shared objects that the server loads, behind its proxies.
namespace kbase::tests {

template <class Value>
Value value_of(model::Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().message + " (" + result.error().detail + ")");
  return *std::move(result);
}

/// Port of a plugin under test, and its settings for a folder.
template <class Port>
struct Offer {
  const char* file;
  plugin_host::Opened<Port> (*open)(const plugin_host::Plugin&, const plugin_host::HostTable&, std::string_view);
  std::string (*settings)(const std::filesystem::path& folder);
  bool persists;
};

template <class Port>
class BoundaryFixture final : public conformance::FixtureOf<Port> {
 public:
  explicit BoundaryFixture(const Offer<Port>& offer)
      : offer_(offer), plugin_(value_of(plugin_host::load_plugin(offer.file, {}))) {
    open();
  }

  Port& port() override { return *port_; }

  bool reopen() override {
    if (!offer_.persists) return false;
    port_.reset();
    open();
    return true;
  }

 private:
  void open() { port_ = value_of(offer_.open(plugin_, host_, offer_.settings(folder_.path()))); }

  const Offer<Port> offer_;
  const plugin_host::Plugin plugin_;
  TemporaryFolder folder_;
  LogCopy log_;
  const plugin_host::HostTable host_{plugin_, {this->clock, log_, nullptr, &this->upstream, true}};
  std::unique_ptr<Port> port_;
};

template <class Port>
bool register_offer(const char* name, const conformance::Suite<conformance::FixtureOf<Port>>& suite,
                    const Offer<Port>& offer, const char* missing = nullptr) {
  return register_contract<conformance::FixtureOf<Port>>(
      name, suite, [offer] { return std::make_unique<BoundaryFixture<Port>>(offer); }, missing);
}

}  // namespace kbase::tests
