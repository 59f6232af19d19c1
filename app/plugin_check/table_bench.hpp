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

/// Where the table of one port is checked: the plugin is loaded, and what it is lent is at hand.
class TableBench {
 public:
  /// Loads the plugin. Where it cannot be, is_ready() is false and the report says why.
  TableBench(const Target& target, const PortAccess& port, Bench& bench);

  bool is_ready() const { return table_ != nullptr; }

  Bench& bench() { return bench_; }
  conformance::Report& report() { return bench_.report; }
  const PortAccess& port() const { return port_; }
  const void* table() const { return table_; }
  plugin_host::TableStart start() const { return plugin_host::start_of(table_); }

  /// Of the instance that has `folder`, below the scratch folder, for its own. nullopt: the report says why.
  std::optional<std::string> configuration(const std::string& folder = "a");

  /// Calls this table in the given way.
  std::unique_ptr<Caller> caller(Mode mode = {}, Timeout timeout = Timeout::Endless);

 private:
  const Target& target_;
  const PortAccess& port_;
  Bench& bench_;
  std::optional<plugin_host::Plugin> plugin_;
  const void* table_ = nullptr;
  LentHost host_;
};

/// An instance of the table's, and the round of use on it.
class TableInstance {
 public:
  /// Calls create, which has to succeed.
  TableInstance(TableBench& bench, Caller& caller, const std::string& configuration);
  ~TableInstance() { destroy(); }
  TableInstance(const TableInstance&) = delete;
  TableInstance& operator=(const TableInstance&) = delete;

  bool is_made() const { return instance_ != nullptr; }
  /// Null: the port has no round of use.
  SmokeTest* smoke_test() { return smoke_test_.get(); }
  /// Calls health, which may say anything: an instance may have nothing to work with yet.
  void ask_health(Caller& caller);
  void expect_healthy(Caller& caller);
  void destroy();

 private:
  TableBench& bench_;
  Caller& caller_;
  void* instance_ = nullptr;
  std::unique_ptr<SmokeTest> smoke_test_;
};

/// A check of the table of any port.
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

/// Life and death of instances, and use under awkward circumstances.
std::span<const TableCheck> life_checks();
std::span<const TableCheck> use_checks();

}  // namespace kbase::plugin_check
