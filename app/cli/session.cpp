// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.hpp"

namespace kbase::cli {

int with_stores(const ConfigArguments& arguments, const std::function<int(Session&)>& work) {
  auto settings = load_settings(arguments);
  if (!settings) return fail_usage(settings.error());
  Session session(*std::move(settings));
  // A command says what it did itself; of the stores only what is wrong matters.
  session.platform.log.set_level(ports::LogLevel::Warning);
  if (auto prepared = composition::prepare_data_dir(session.settings); !prepared) return fail(prepared.error());
  auto stores = session.backends.open_stores();
  if (!stores) return fail(stores.error());
  session.stores = *std::move(stores);
  return work(session);
}

}  // namespace kbase::cli
