// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/plugin_check/caller.hpp"
#include "app/plugin_check/lent_host.hpp"
#include "app/plugin_check/target.hpp"
#include "app/plugin_host/known_ports.hpp"
#include "app/plugin_host/plugin.hpp"

namespace kbase::plugin_check {

/// The environment of a table check: loads the plugin and provides the host and its configuration.
class TableBench {
 public:
  /// Loads the plugin. If that fails, is_ready() is false and the report contains the reason.
  TableBench(const Target& target, const PortAccess& port, Bench& bench);

  bool is_ready() const { return table_ != nullptr; }

  Bench& bench() { return bench_; }
  conformance::Report& report() { return bench_.report; }
  const PortAccess& port() const { return port_; }
  const void* table() const { return table_; }
  plugin_host::TableStart start() const { return plugin_host::start_of(table_); }

  /// Returns the configuration of an instance with its own `folder` below the scratch folder. nullopt: the report
  /// contains the reason.
  std::optional<std::string> configuration(const std::string& folder = "a");

  /// Creates a caller of this table.
  std::unique_ptr<Caller> caller(Mode mode = {}, Timeout timeout = Timeout::Endless);

 private:
  const Target& target_;
  const PortAccess& port_;
  Bench& bench_;
  std::optional<plugin_host::Plugin> plugin_;
  const void* table_ = nullptr;
  LentHost host_;
};

/// An instance of the table with its smoke test.
class TableInstance {
 public:
  /// Calls create, which must succeed.
  TableInstance(TableBench& bench, Caller& caller, const std::string& configuration);
  ~TableInstance() { destroy(); }
  TableInstance(const TableInstance&) = delete;
  TableInstance& operator=(const TableInstance&) = delete;

  bool is_made() const { return instance_ != nullptr; }
  /// Null: the port has no smoke test.
  SmokeTest* smoke_test() { return smoke_test_.get(); }
  /// Calls health and ignores its status: the instance may not be usable yet.
  void ask_health(Caller& caller);
  void expect_healthy(Caller& caller);
  void destroy();

 private:
  TableBench& bench_;
  Caller& caller_;
  void* instance_ = nullptr;
  std::unique_ptr<SmokeTest> smoke_test_;
};

/// A check that applies to the table of any port.
struct TableCheck {
  std::string_view name;
  std::string_view wanted;
  Rule rule;
  void (*run)(TableBench& bench);
  bool needs_smoke_test = true;
  std::chrono::milliseconds limit = kUsualLimit;
  Weight weight = Weight::Requirement;
  Exit exit = Exit::AtOnce;
  bool is_gate = false;
};

/// Checks of creation and destruction, and of use under adverse conditions.
std::span<const TableCheck> life_checks();
std::span<const TableCheck> use_checks();

}  // namespace kbase::plugin_check
