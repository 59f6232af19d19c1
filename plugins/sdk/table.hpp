// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "plugins/sdk/generated/bindings.hpp"
#include "plugins/sdk/setup.hpp"

/// Creates the table of a port from a function that opens an implementation.
namespace kbase::sdk {

/// What a plugin declares about its implementation of a port; base.h documents each member.
struct Declaration {
  std::uint32_t inline_calls = 0;
  std::uint32_t flags = 0;
  std::uint32_t capabilities = 0;
  const char* config_schema = nullptr;
};

/// Creates an instance; implements `create` of every table.
kb_status create(const kb_host* host, kb_call* call, kb_view config, FunctionRef<Opened<void>(Setup&)> open,
                 void** instance) noexcept;

/// Returns the table of an implementation whose instances `open` creates. An error of `open` is the error of `create`;
/// exceptions of `open` and of the port's calls are converted to errors.
template <class Port, Opened<Port> (*open)(Setup&)>
typename CBinding<Port>::Table table(const Declaration& declaration) {
  auto made = CBinding<Port>::kCalls;
  made.inline_calls = declaration.inline_calls;
  made.flags = declaration.flags;
  made.capabilities = declaration.capabilities;
  made.config_schema = declaration.config_schema;
  made.create = [](const kb_host* host, kb_call* call, kb_view config, typename CBinding<Port>::Handle** instance) {
    const auto open_any = [](Setup& setup) -> Opened<void> {
      auto opened = KBASE_TRY(open(setup));
      return std::shared_ptr<void>(std::move(opened));
    };
    void* untyped = nullptr;
    const kb_status status = create(host, call, config, open_any, &untyped);
    *instance = static_cast<typename CBinding<Port>::Handle*>(untyped);
    return status;
  };
  return made;
}

}  // namespace kbase::sdk
