// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/check.hpp"
#include "app/plugin_check/port_driver.hpp"
#include "app/plugin_check/report.hpp"

namespace kbase::plugin_check {

Checks suite_checks(const Target& target, const PortDriver& port) {
  Checks checks;
  const auto suite = port.suite();
  for (std::size_t i = 0; i < suite.size(); ++i) {
    const auto run = [target, &port, i](Bench& bench) {
      const auto plugin = plugin_host::load_plugin(target.file, {});
      if (!bench.report.ok(plugin, "a server loads the plugin")) return;
      const char* const schema = plugin_host::start_of(plugin->table<void>(port.id)).config_schema;
      auto configuration = configuration_for(schema, target.configuration, port.id, bench.scratch);
      if (!bench.report.ok(configuration, "there is a configuration that fits config_schema")) return;
      const auto opened = port.open(*plugin, nullptr, *std::move(configuration));
      if (bench.report.ok(opened, "create succeeds")) (*opened)->run(i, bench.report);
    };
    checks.push_back({std::string(port.id),
                      std::string(suite[i].name),
                      words_of(suite[i].name),
                      {std::string(port.header), suite[i].about},
                      run,
                      kSlowLimit});
  }
  return checks;
}

}  // namespace kbase::plugin_check
