// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"
#include "domain/base/result.hpp"

#include <thread>

#include "adapters/sqlite/item_store.hpp"
#include "adapters/sqlite/state_database.hpp"

namespace kbase::sqlite {
namespace {

/// Settings schema of all ports: each gets `storage.config`.
constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "path": {"type": "string", "format": "path", "default": "${data_dir}/content.db",
      "description": "File of items and categories, on a local disk."},
    "state_path": {"type": "string", "format": "path", "default": "${data_dir}/state.db",
      "description": "File of view counts, accounts, API keys and insights, on a local disk. It is a separate file, so that a view never waits for an import."},
    "instance": {"type": "string", "default": "${instance}",
      "description": "Name of the instance that owns the files. Files of another instance are refused."},
    "if_missing": {"type": "string", "enum": ["create", "fail"],
      "description": "What the server does at the start if the files are missing or from an older kbase. create (the default): creates or upgrades them. fail: refuses to start."},
    "readers": {"type": "integer", "minimum": 1, "maximum": 1024,
      "description": "Maximum number of connections that read items at the same time. With fewer than server.threads + 7, requests wait for each other. Default: number of CPU cores + 8."}}})";

IfMissing if_missing_of(const sdk::Settings& settings) {
  return settings.text("if_missing", "create") == "fail" ? IfMissing::Fail : IfMissing::Create;
}

sdk::Opened<ports::ItemStore> open_items(sdk::Setup& setup) {
  SqliteItemStore::Options options;
  options.path = setup.settings().path("path", options.path);
  options.instance = setup.settings().text("instance", options.instance);
  options.if_missing = if_missing_of(setup.settings());
  options.readers = static_cast<unsigned>(setup.settings().number("readers", std::thread::hardware_concurrency() + 8));
  auto opened = KBASE_TRY(SqliteItemStore::open(options, setup.clock(), setup.random(), &setup.log()));
  const ports::LogField fields[] = {{"path", options.path.native()}};
  if (opened->created())
    setup.log().log(ports::LogLevel::Warning, "store.created", "The store did not exist. An empty store was created.",
                    fields);
  return std::shared_ptr<ports::ItemStore>(std::move(opened));
}

/// Opens one of the ports of StateDatabase. The returned pointer shares ownership of the database.
template <class Port, Port& (StateDatabase::*kPort)()> sdk::Opened<Port> open_state(sdk::Setup& setup) {
  StateDatabase::Options options;
  options.path = setup.settings().path("state_path", options.path);
  options.instance = setup.settings().text("instance", options.instance);
  options.if_missing = if_missing_of(setup.settings());
  auto opened = KBASE_TRY(StateDatabase::open(options, setup.clock()));
  const std::shared_ptr<StateDatabase> state = std::move(opened);
  return std::shared_ptr<Port>(state, &(state.get()->*kPort)());
}

constexpr auto open_activity = open_state<ports::ActivityStore, &StateDatabase::activity>;
constexpr auto open_keys = open_state<ports::ApiKeyStore, &StateDatabase::api_keys>;
constexpr auto open_accounts = open_state<ports::AccountStore, &StateDatabase::accounts>;
constexpr auto open_insights = open_state<ports::InsightStore, &StateDatabase::insights>;

const auto kItems =
    sdk::table<ports::ItemStore, open_items>({.inline_calls = KB_ITEM_STORE_INLINE_READS,
                                              .capabilities = KB_ITEM_STORE_CAN_PERSIST | KB_ITEM_STORE_CAN_LEASE |
                                                              KB_ITEM_STORE_CAN_DESCRIBE | KB_ITEM_STORE_CAN_SYNONYMS,
                                              .config_schema = kSettings});
const auto kActivity = sdk::table<ports::ActivityStore, open_activity>(
    {.capabilities = KB_ACTIVITY_STORE_CAN_PERSIST, .config_schema = kSettings});
const auto kKeys =
    sdk::table<ports::ApiKeyStore, open_keys>({.inline_calls = KB_KEY_STORE_INLINE_READS,
                                               .capabilities = KB_KEY_STORE_CAN_PERSIST | KB_KEY_STORE_CAN_ACCOUNTS,
                                               .config_schema = kSettings});
const auto kAccounts = sdk::table<ports::AccountStore, open_accounts>(
    {.capabilities = KB_ACCOUNT_STORE_CAN_PERSIST, .config_schema = kSettings});
const auto kInsights = sdk::table<ports::InsightStore, open_insights>(
    {.capabilities = KB_INSIGHT_STORE_CAN_PERSIST, .config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kItems, kActivity, kKeys, kAccounts, kInsights); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.sqlite", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::sqlite

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::sqlite::kPlugin; }
