// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.hpp"

namespace kbase::cli {

model::Status open_stores(Session& session) {
  if (auto prepared = composition::prepare_data_dir(session.settings); !prepared) return prepared;
  auto stores = session.backends.open_stores();
  if (!stores) return stores.error();
  session.stores = *std::move(stores);
  return {};
}

int with_session(const ConfigArguments& arguments, const std::function<int(Session&)>& work) {
  auto settings = load_settings(arguments);
  if (!settings) return fail_usage(settings.error());
  Session session(*std::move(settings));
  // The command prints its own result, so log only problems of the stores.
  session.platform.log.set_level(ports::LogLevel::Warning);
  return work(session);
}

int with_stores(const ConfigArguments& arguments, const std::function<int(Session&)>& work) {
  return with_session(arguments, [&work](Session& session) {
    if (auto opened = open_stores(session); !opened) return fail(opened.error());
    return work(session);
  });
}

}  // namespace kbase::cli
