// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/code_host.h>

#include <memory>

#include "app/plugin_host/instance.hpp"
#include "ports/driven/code_host.hpp"

namespace kbase::plugin_host {

using CodeHostInstance = Instance<kb_code_host_v1, kb_code_host>;

/// Implements ports::CodeHost with a plugin's table. Checks the plugin's data against everything that UserVisitor
/// guarantees. Errors: see ItemStoreProxy.
class CodeHostProxy final : public ports::CodeHost {
 public:
  explicit CodeHostProxy(std::unique_ptr<CodeHostInstance> instance);

  bool is_username(std::string_view username) const noexcept override;
  model::Result<ports::LookUp> look_up(ports::Call& call, std::string_view username, std::string_view validator,
                                       ports::UserVisitor& visitor) override;
  model::Status health(ports::Call& call) override { return instance_->health(call); }

 private:
  const std::unique_ptr<CodeHostInstance> instance_;
  const kb_code_host_v1& table_;
  kb_code_host* const code_host_;
};

}  // namespace kbase::plugin_host
