// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "plugins/conformance/suites.hpp"
#include "tests/plugins/boundary_fixture.hpp"
#include "tests/support/postgres_server.hpp"

/// Runs the contract suites through the C boundary on one shared PostgreSQL, with a schema for each check.
namespace kbase::tests {
namespace {

std::string postgres_settings(const std::filesystem::path& folder) {
  static const PostgresServer server;
  return R"({"url":")" + server.url() + R"(","schema":")" + folder.filename().string() + R"("})";
}

template <class Port>
bool register_port(const char* name, const conformance::Suite<conformance::FixtureOf<Port>>& suite,
                   decltype(PluginPort<Port>::open) open) {
  return register_plugin_contract<Port>(name, suite, {KBASE_POSTGRES_PLUGIN, open, postgres_settings, true},
                                        has_postgres() ? nullptr : kNoPostgres);
}

const bool kRegistered =
    register_port<ports::ItemStore>("PostgresPluginItemStore", conformance::item_store_suite(),
                                    plugin_host::open_port<ports::ItemStore>) &&
    register_port<ports::ActivityStore>("PostgresPluginActivityStore", conformance::activity_store_suite(),
                                        plugin_host::open_port<ports::ActivityStore>) &&
    register_port<ports::ApiKeyStore>("PostgresPluginApiKeyStore", conformance::api_key_store_suite(),
                                      plugin_host::open_port<ports::ApiKeyStore>) &&
    register_port<ports::AccountStore>("PostgresPluginAccountStore", conformance::account_store_suite(),
                                       plugin_host::open_port<ports::AccountStore>) &&
    register_port<ports::InsightStore>("PostgresPluginInsightStore", conformance::insight_store_suite(),
                                       plugin_host::open_port<ports::InsightStore>);

}  // namespace
}  // namespace kbase::tests
