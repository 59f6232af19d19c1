// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "app/plugin_check/plugin_fixture.hpp"
#include "app/plugin_check/report.hpp"
#include "app/plugin_check/rules.hpp"
#include "app/plugin_check/suite_rules.hpp"
#include "app/plugin_check/target.hpp"
#include "app/plugin_check/throwing_visitors.hpp"
#include "app/plugin_host/known_ports.hpp"
#include "app/plugin_host/plugin.hpp"
#include "plugins/conformance/suites.hpp"

namespace kbase::plugin_check {
namespace {

using plugin_host::Plugin;

/// Returns true if the plugin's table of a port has a capability.
template <class Table>
bool can(const Plugin& plugin, std::string_view port_id, std::uint32_t capability) {
  const auto* table = plugin.table<Table>(port_id);
  return table != nullptr && (table->capabilities & capability) != 0;
}

bool items_persist(const Plugin& plugin) {
  return can<kb_item_store_v1>(plugin, KB_PORT_ITEM_STORE, KB_ITEM_STORE_CAN_PERSIST);
}
bool activity_persists(const Plugin& plugin) {
  return can<kb_activity_store_v1>(plugin, KB_PORT_ACTIVITY_STORE, KB_ACTIVITY_STORE_CAN_PERSIST);
}
bool keys_persist(const Plugin& plugin) {
  return can<kb_key_store_v1>(plugin, KB_PORT_KEY_STORE, KB_KEY_STORE_CAN_PERSIST);
}
bool index_persists(const Plugin& plugin) {
  return can<kb_search_index_v1>(plugin, KB_PORT_SEARCH_INDEX, KB_SEARCH_INDEX_CAN_PERSIST);
}
bool nothing_persists(const Plugin&) {
  return false;
}

/// A port's contract suite and what is needed to run it on a plugin.
template <class Port>
struct PortSuite {
  conformance::Suite<conformance::FixtureOf<Port>> checks;
  typename PluginFixture<Port>::Open open;
  bool (*persists)(const Plugin& plugin);
};

template <class Port>
void run(const Target& target, const PortAccess& access, const PortSuite<Port>& suite,
         void (*check)(conformance::FixtureOf<Port>&, conformance::Report&), Bench& bench) {
  const auto plugin = plugin_host::load_plugin(target.file, {});
  if (!bench.report.ok(plugin, "a server loads the plugin")) return;
  const void* const table = plugin->template table<void>(access.id);
  const auto configuration =
      configuration_for(plugin_host::start_of(table).config_schema, target.configuration, bench.scratch);
  if (!bench.report.ok(configuration, "there is a configuration that fits config_schema")) return;
  PluginFixture<Port> fixture(*plugin, suite.open, *configuration, suite.persists(*plugin));
  check(fixture, bench.report);
}

/// True if the checker can make a visitor of the port throw. The visitor of a code host is called only for successful
/// replies, and the checker has none.
template <class Port>
constexpr bool is_visited = !std::is_same_v<Port, ports::RateLimitStore> && !std::is_same_v<Port, ports::CodeHost>;

template <class Port>
Checks checks_of(const Target& target, const PortAccess& access, const PortSuite<Port>& suite) {
  Checks checks;
  const auto add = [&](std::string_view name, const Rule& rule,
                       void (*check)(conformance::FixtureOf<Port>&, conformance::Report&)) {
    const auto work = [target, &access, suite, check](Bench& bench) { run(target, access, suite, check, bench); };
    checks.push_back({std::string(access.id), std::string(name), words_of(name), rule, work, kSlowLimit,
                      Weight::Requirement, Exit::AtOnce});
  };
  for (const auto& check : suite.checks) add(check.name, rule_of(access.id, check.name), check.run);
  if constexpr (is_visited<Port>)
    add("AVisitorThatThrowsDoesNoHarm", rules::kStopped, a_visitor_that_throws_does_no_harm);
  return checks;
}

}  // namespace

Checks suite_checks(const Target& target, const PortAccess& port) {
  using namespace conformance;
  if (port.id == KB_PORT_ITEM_STORE)
    return checks_of<ports::ItemStore>(target, port, {item_store_suite(), plugin_host::open_port<ports::ItemStore>, items_persist});
  if (port.id == KB_PORT_ACTIVITY_STORE)
    return checks_of<ports::ActivityStore>(
        target, port, {activity_store_suite(), plugin_host::open_port<ports::ActivityStore>, activity_persists});
  if (port.id == KB_PORT_KEY_STORE)
    return checks_of<ports::ApiKeyStore>(target, port,
                                         {api_key_store_suite(), plugin_host::open_port<ports::ApiKeyStore>, keys_persist});
  if (port.id == KB_PORT_SEARCH_INDEX)
    return checks_of<ports::SearchIndex>(target, port,
                                         {search_index_suite(), plugin_host::open_port<ports::SearchIndex>, index_persists});
  if (port.id == KB_PORT_RATE_LIMIT_STORE)
    return checks_of<ports::RateLimitStore>(
        target, port, {rate_limit_store_suite(), plugin_host::open_port<ports::RateLimitStore>, nothing_persists});
  if (port.id == KB_PORT_CACHE)
    return checks_of<ports::Cache>(target, port, {cache_suite(), plugin_host::open_port<ports::Cache>, nothing_persists});
  if (port.id == KB_PORT_CODE_HOST)
    return checks_of<ports::CodeHost>(target, port, {code_host_suite(), plugin_host::open_port<ports::CodeHost>, nothing_persists});
  if (port.id == KB_PORT_LANGUAGE_MODEL)
    return checks_of<ports::LanguageModel>(
        target, port, {language_model_suite(), plugin_host::open_port<ports::LanguageModel>, nothing_persists});
  return {};
}

}  // namespace kbase::plugin_check
