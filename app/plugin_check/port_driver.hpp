// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/plugin_host/plugin.hpp"
#include "domain/base/result.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::plugin_check {

class Guard;

/// An instance of a port behind the server's proxy, in the environment that the contract suite needs.
class Instance {
 public:
  virtual ~Instance() = default;

  virtual Status health() = 0;
  /// Begins a batch that other batches must wait for. Null: the port has no batches. The instance must outlive it.
  virtual std::shared_ptr<void> begin_batch() = 0;
  /// Runs one check of the suite.
  virtual void run(std::size_t check, conformance::Report& report) = 0;
};

/// A port, for code that does not depend on its type.
class PortDriver {
 public:
  PortDriver(std::string_view port_id, std::string_view header_name, std::string_view table_name)
      : id(port_id), header(header_name), table(table_name) {}
  virtual ~PortDriver() = default;
  PortDriver(const PortDriver&) = delete;
  PortDriver& operator=(const PortDriver&) = delete;

  /// Creates an instance from settings that fit the table's config_schema. `guard` may be null. The plugin and the
  /// guard must outlive the instance. Error: the one of the plugin's create().
  virtual Result<std::unique_ptr<Instance>> open(const plugin_host::Plugin& plugin, Guard* guard,
                                                 std::string configuration) const = 0;

  struct SuiteCheck {
    std::string_view name;
    std::string about;  ///< see Rule
  };
  /// The checks of the port's contract suite, in the order of Instance::run.
  virtual std::vector<SuiteCheck> suite() const = 0;

  /// The checks of the suite that together call the functions of the table, by their place in the suite.
  virtual std::vector<std::size_t> smoke_checks() const = 0;

  const std::string_view id;      ///< "kbase.cache/1"
  const std::string_view header;  ///< "kbase/cache.h"
  const std::string_view table;   ///< "kb_cache_v1"
};

/// Returns a driver for every port, in display order.
std::span<const PortDriver* const> port_drivers();

}  // namespace kbase::plugin_check
