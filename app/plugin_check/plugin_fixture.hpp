// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "app/plugin_check/silent_log.hpp"
#include "app/plugin_host/host_table.hpp"
#include "app/plugin_host/open_ports.hpp"
#include "plugins/conformance/language_model_fixture.hpp"

namespace kbase::plugin_check {

/// A plugin's port behind the server's proxy, for the contract suites. The fixture provides the host's clock and the
/// service that HTTP requests reach.
template <class Port>
class PluginFixture final : public conformance::FixtureOf<Port> {
 public:
  using Open = plugin_host::Opened<Port> (*)(const plugin_host::Plugin& plugin, const plugin_host::HostTable& host,
                                             std::string_view config_json);

  PluginFixture(const plugin_host::Plugin& plugin, Open open, std::string configuration, bool persists)
      : plugin_(plugin), open_(open), configuration_(std::move(configuration)), persists_(persists) {
    make();
  }

  Port& port() override { return *port_; }

  bool reopen() override {
    if (!persists_) return false;
    port_.reset();
    make();
    return true;
  }

 private:
  void make() {
    auto opened = open_(plugin_, host_, configuration_);
    if (!opened)
      throw std::runtime_error("create failed: " + opened.error().message + " (" + opened.error().detail + ")");
    port_ = *std::move(opened);
  }

  const plugin_host::Plugin plugin_;
  const Open open_;
  const std::string configuration_;
  const bool persists_;
  SilentLog log_;
  plugin_host::HostTable host_{plugin_, {this->clock, log_, nullptr, &this->upstream, true}};
  std::unique_ptr<Port> port_;
};

}  // namespace kbase::plugin_check
