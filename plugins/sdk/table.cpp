// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/table.hpp"

#include "plugins/sdk/entry.hpp"

namespace kbase::sdk {

kb_status create(const kb_host* host, kb_call* call, kb_view config, FunctionRef<Opened<void>(Setup&)> open,
                 void** instance) noexcept {
  return guarded(call, [&](ports::Call&) {
    auto settings = Settings::parse(text_of(config));
    if (!settings) return failed(call, settings.error());
    auto made = std::make_unique<Instance>(Instance{Setup(*host, *std::move(settings)), nullptr});
    try {
      auto port = open(made->setup);
      if (!port) return failed(call, port.error());
      made->port = *std::move(port);
    } catch (const WrongSetting& wrong) {
      return failed(call, invalid_argument(wrong.name(), wrong.what()));
    }
    *instance = made.release();
    return KB_OK;
  });
}

}  // namespace kbase::sdk
