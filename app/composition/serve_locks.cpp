// SPDX-License-Identifier: Apache-2.0
#include "app/composition/serve_locks.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/composition/backends.hpp"

namespace kbase::composition {

model::Result<ServeLocks> take_locks(const config::Settings& settings) {
  auto data = runtime::ServeLock::take(settings.data_dir, "data_dir");
  if (!data) return data.error();
  ServeLocks locks{*std::move(data), std::nullopt};
  if (const auto folder = index_folder_elsewhere(settings)) {
    std::error_code ignored;  // ServeLock reports the error
    std::filesystem::create_directories(*folder, ignored);
    auto index = runtime::ServeLock::take(*folder, "search.config.path");
    if (!index) return index.error();
    locks.index.emplace(*std::move(index));
  }
  return locks;
}

}  // namespace kbase::composition
