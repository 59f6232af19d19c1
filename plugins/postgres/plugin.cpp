// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"

#include <algorithm>
#include <chrono>

#include "adapters/postgres/item_store.hpp"
#include "adapters/postgres/state_database.hpp"

namespace kbase::postgres {
namespace {

/// One for all three ports: `storage.config` is given to each.
constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "required": ["url"], "properties": {
    "url": {"type": "string", "writeOnly": true,
      "description": "A connection string of libpq: postgres://USER@HOST:PORT/DATABASE, or host=HOST dbname=DATABASE user=USER. Several HOST:PORT, separated by commas: the primary and what may take over."},
    "password": {"type": "string", "writeOnly": true, "default": "", "description": "The user's password. Empty: the one in url, or in libpq's password file."},
    "schema": {"type": "string", "default": "${instance}",
      "description": "The schema that the tables are in, made where it is missing; 1 to 50 bytes. Knowledge bases that share a database need different ones; servers of one the same."},
    "instance": {"type": "string", "default": "${instance}",
      "description": "Whose store it is; that of another instance is refused."},
    "if_missing": {"type": "string", "enum": ["create", "fail"],
      "description": "What a start does where the tables are missing or of an older kbase: make them and bring them up to date (create, the default), or refuse (fail)."},
    "connections": {"type": "integer", "minimum": 1, "maximum": 1024, "default": 8,
      "description": "Connections that read items at the same time; a request beyond them waits for one. A server takes up to 9 more: one for an import, one that listens for changes, two that read all changes, one for leases, two for views and two for keys."}}})";

/// Views and keys are asked for by few threads at a time.
constexpr std::size_t kStateConnections = 2;

/// Of clocks that something keeps right.
constexpr std::chrono::seconds kMostSkew{5};

Options options_of(const sdk::Settings& settings) {
  Options options;
  options.url = settings.text("url", options.url);
  options.password = settings.text("password", options.password);
  options.schema = settings.text("schema", options.schema);
  options.instance = settings.text("instance", options.instance);
  options.if_missing = settings.text("if_missing", "create") == "fail" ? IfMissing::Fail : IfMissing::Create;
  options.connections = settings.number("connections", options.connections);
  return options;
}

/// Views are counted by the day of this machine, and leases by the server's clock.
void warn_of_clock(std::chrono::milliseconds ahead, ports::EventLog& log) {
  if (std::chrono::abs(ahead) <= kMostSkew) return;
  const auto seconds = std::chrono::round<std::chrono::seconds>(std::chrono::abs(ahead)).count();
  const ports::LogField fields[] = {{"seconds", static_cast<std::uint64_t>(seconds)}};
  log.log(ports::LogLevel::Warning, "store.clock_differs",
          "PostgreSQL's clock and this machine's are " + std::to_string(seconds) + " s apart: have both synchronised",
          fields);
}

sdk::Opened<ports::ItemStore> open_items(sdk::Setup& setup) {
  const Options options = options_of(setup.settings());
  auto opened = PostgresItemStore::open(options, setup.clock(), setup.random());
  if (!opened) return opened.error();
  const ports::LogField fields[] = {{"schema", options.schema}};
  if ((*opened)->created())
    setup.log().log(ports::LogLevel::Warning, "store.created", "there was none, so an empty one was created", fields);
  warn_of_clock((*opened)->clock_ahead(), setup.log());
  return std::shared_ptr<ports::ItemStore>(*std::move(opened));
}

/// Of either port that StateDatabase keeps, which shares in owning the database that it is a part of.
template <class Port, Port& (StateDatabase::*kPort)()>
sdk::Opened<Port> open_state(sdk::Setup& setup) {
  Options options = options_of(setup.settings());
  options.connections = std::min(options.connections, kStateConnections);
  auto opened = StateDatabase::open(options, setup.clock(), setup.random());
  if (!opened) return opened.error();
  const std::shared_ptr<StateDatabase> state = *std::move(opened);
  return std::shared_ptr<Port>(state, &(state.get()->*kPort)());
}

constexpr auto open_activity = open_state<ports::ActivityStore, &StateDatabase::activity>;
constexpr auto open_keys = open_state<ports::ApiKeyStore, &StateDatabase::api_keys>;

const auto kItems = sdk::table<ports::ItemStore, open_items>(
    {.capabilities = KB_ITEM_STORE_CAN_PERSIST | KB_ITEM_STORE_CAN_WAIT | KB_ITEM_STORE_CAN_LEASE,
     .config_schema = kSettings});
const auto kActivity = sdk::table<ports::ActivityStore, open_activity>(
    {.capabilities = KB_ACTIVITY_STORE_CAN_PERSIST, .config_schema = kSettings});
const auto kKeys =
    sdk::table<ports::ApiKeyStore, open_keys>({.capabilities = KB_KEY_STORE_CAN_PERSIST, .config_schema = kSettings});

const void* get_port(const char* id) {
  return sdk::port(id, kItems, kActivity, kKeys);
}

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.postgres", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::postgres

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept {
  return &kbase::postgres::kPlugin;
}
