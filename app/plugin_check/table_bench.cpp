// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/table_bench.hpp"

namespace kbase::plugin_check {

TableBench::TableBench(const Target& target, const PortAccess& port, Bench& bench)
    : target_(target), port_(port), bench_(bench) {
  bench.steps.enter("loading the file");
  auto plugin = plugin_host::load_plugin(target.file, {});
  bench.steps.leave();
  if (!bench.report.ok(plugin, "a server loads the plugin")) return;
  plugin_ = *std::move(plugin);
  table_ = plugin_->table<void>(port.id);
  bench.report.expect(is_ready(), "get_port always gives the same answer", "this time it gave NULL");
}

std::optional<std::string> TableBench::configuration(const std::string& folder) {
  const std::filesystem::path own = bench_.scratch / folder;
  std::filesystem::create_directories(own);
  auto made = configuration_for(start().config_schema, target_.configuration, own);
  if (made) return *made;
  report().expect(false, "there is a configuration that fits config_schema", made.error().message);
  return std::nullopt;
}

std::unique_ptr<Caller> TableBench::caller(Mode mode, Timeout timeout) {
  auto caller = std::make_unique<Caller>(bench_, host_.table(), mode, timeout);
  if ((start().flags & KB_TABLE_SERIAL) != 0) caller->serialise();
  return caller;
}

TableInstance::TableInstance(TableBench& bench, Caller& caller, const std::string& configuration)
    : bench_(bench), caller_(caller) {
  Turn turn(caller, "create");
  const PortAccess& port = bench.port();
  const kb_status status =
      port.create(bench.table(), turn.call()->host, turn.call(), turn.lend().text(configuration), &instance_);
  if (status != KB_OK) instance_ = nullptr;
  turn.expect_ok(status, "create makes an instance of a configuration that fits config_schema");
  if (status == KB_OK) caller.expect(is_made(), "create makes an instance", "it returned KB_OK and made none");
  if (is_made() && port.smoke_test != nullptr) smoke_test_ = port.smoke_test(bench.table(), instance_);
}

void TableInstance::ask_health(Caller& caller) {
  Turn turn(caller, "health");
  bench_.port().health(bench_.table(), instance_, turn.call());
}

void TableInstance::expect_healthy(Caller& caller) {
  Turn turn(caller, "health");
  turn.expect_ok(bench_.port().health(bench_.table(), instance_, turn.call()), "an instance in use is healthy");
}

void TableInstance::destroy() {
  if (!is_made()) return;
  const Turn turn(caller_, "destroy");
  bench_.port().destroy(bench_.table(), instance_);
  instance_ = nullptr;
}

Checks table_checks(const Target& target, const PortAccess& port) {
  Checks checks;
  for (const auto& entries : {life_checks(), use_checks()})
    for (const TableCheck& entry : entries) {
      if (entry.needs_smoke_test && port.smoke_test == nullptr) continue;
      const auto run = [target, &port, run = entry.run](Bench& bench) {
        TableBench table(target, port, bench);
        if (table.is_ready()) run(table);
      };
      checks.push_back({std::string(port.id), std::string(entry.name), std::string(entry.wanted), entry.rule, run,
                        entry.limit, entry.weight, entry.exit, entry.is_gate});
    }
  return checks;
}

}  // namespace kbase::plugin_check
