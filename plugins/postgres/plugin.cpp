// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"
#include "domain/base/result.hpp"

#include <algorithm>
#include <chrono>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/item_store.hpp"

namespace kbase::postgres {
namespace {

/// Settings schema of all three ports: each gets `storage.config`.
constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "required": ["url"], "properties": {
    "url": {"type": "string", "writeOnly": true,
      "description": "Connection string of libpq: postgres://USER@HOST:PORT/DATABASE, or host=HOST dbname=DATABASE user=USER. For failover, list the primary and its standbys as HOST:PORT, separated by commas."},
    "password": {"type": "string", "writeOnly": true, "default": "", "description": "Password of the user. Empty: the one in url, or in libpq's password file."},
    "schema": {"type": "string", "default": "${instance}",
      "description": "Schema of the tables, 1 to 50 bytes; created if it is missing. Knowledge bases that share a database need different schemas. Servers of the same knowledge base need the same schema."},
    "instance": {"type": "string", "default": "${instance}",
      "description": "Name of the instance that owns the store. A store of another instance is refused."},
    "if_missing": {"type": "string", "enum": ["create", "fail"],
      "description": "What the server does at the start if the tables are missing or from an older kbase. create (the default): creates or upgrades them. fail: refuses to start."},
    "connections": {"type": "integer", "minimum": 1, "maximum": 1024, "default": 8,
      "description": "Maximum number of connections that read items at the same time; further requests wait. A server uses up to 9 more: one for an import, one that listens for changes, two that read all changes, one for leases, two for views and two for keys."}}})";

/// Few threads use views and keys at the same time.
constexpr std::size_t kStateConnections = 2;

/// Maximum offset of synchronised clocks.
constexpr std::chrono::seconds kMaxClockSkew{5};

Options read_options(const sdk::Settings& settings) {
  Options options;
  options.url = settings.text("url", options.url);
  options.password = settings.text("password", options.password);
  options.schema = settings.text("schema", options.schema);
  options.instance = settings.text("instance", options.instance);
  options.if_missing = settings.text("if_missing", "create") == "fail" ? IfMissing::Fail : IfMissing::Create;
  options.connections = settings.number("connections", options.connections);
  return options;
}

/// Logs a warning if the clocks differ: views are counted by the day of this machine, leases by the server's clock.
void warn_about_clock(std::chrono::milliseconds ahead, ports::EventLog& log) {
  if (std::chrono::abs(ahead) <= kMaxClockSkew) return;
  const auto seconds = std::chrono::round<std::chrono::seconds>(std::chrono::abs(ahead)).count();
  const ports::LogField fields[] = {{"seconds", static_cast<std::uint64_t>(seconds)}};
  log.log(ports::LogLevel::Warning, "store.clock_differs",
          "The clocks of PostgreSQL and of this machine differ by " + std::to_string(seconds) +
              " s. Synchronise both clocks.",
          fields);
}

sdk::Opened<ports::ItemStore> open_items(sdk::Setup& setup) {
  const Options options = read_options(setup.settings());
  auto opened = KBASE_TRY(PostgresItemStore::open(options, setup.clock(), setup.random()));
  const ports::LogField fields[] = {{"schema", options.schema}};
  if (opened->created())
    setup.log().log(ports::LogLevel::Warning, "store.created", "The store did not exist. An empty store was created.",
                    fields);
  warn_about_clock(opened->clock_ahead(), setup.log());
  return std::shared_ptr<ports::ItemStore>(std::move(opened));
}

/// Opens one of the ports of StateDatabase. The returned pointer shares ownership of the database.
template <class Port, Port& (StateDatabase::*kPort)()> sdk::Opened<Port> open_state(sdk::Setup& setup) {
  Options options = read_options(setup.settings());
  options.connections = std::min(options.connections, kStateConnections);
  auto opened = KBASE_TRY(StateDatabase::open(options, setup.clock(), setup.random()));
  const std::shared_ptr<StateDatabase> state = std::move(opened);
  return std::shared_ptr<Port>(state, &(state.get()->*kPort)());
}

constexpr auto open_activity = open_state<ports::ActivityStore, &StateDatabase::activity>;
constexpr auto open_keys = open_state<ports::ApiKeyStore, &StateDatabase::api_keys>;
constexpr auto open_accounts = open_state<ports::AccountStore, &StateDatabase::accounts>;
constexpr auto open_insights = open_state<ports::InsightStore, &StateDatabase::insights>;

const auto kItems = sdk::table<ports::ItemStore, open_items>(
    {.capabilities = KB_ITEM_STORE_CAN_PERSIST | KB_ITEM_STORE_CAN_WAIT | KB_ITEM_STORE_CAN_LEASE |
                     KB_ITEM_STORE_CAN_DESCRIBE | KB_ITEM_STORE_CAN_SYNONYMS,
     .config_schema = kSettings});
const auto kActivity = sdk::table<ports::ActivityStore, open_activity>(
    {.capabilities = KB_ACTIVITY_STORE_CAN_PERSIST, .config_schema = kSettings});
const auto kKeys = sdk::table<ports::ApiKeyStore, open_keys>(
    {.capabilities = KB_KEY_STORE_CAN_PERSIST | KB_KEY_STORE_CAN_ACCOUNTS, .config_schema = kSettings});
const auto kAccounts = sdk::table<ports::AccountStore, open_accounts>(
    {.capabilities = KB_ACCOUNT_STORE_CAN_PERSIST, .config_schema = kSettings});
const auto kInsights = sdk::table<ports::InsightStore, open_insights>(
    {.capabilities = KB_INSIGHT_STORE_CAN_PERSIST, .config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kItems, kActivity, kKeys, kAccounts, kInsights); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.postgres", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::postgres

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::postgres::kPlugin; }
