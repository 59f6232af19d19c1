// SPDX-License-Identifier: Apache-2.0
#include "app/composition/configured_files.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "app/composition/explorer_site.hpp"
#include "app/composition/upstream_services.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {

Status prepare_data_dir(const config::Settings& settings) {
  std::error_code failed;
  if (std::filesystem::create_directories(settings.data_dir, failed))
    std::filesystem::permissions(settings.data_dir, std::filesystem::perms::owner_all, failed);
  if (!failed) return {};
  return Error{ErrorCode::Unavailable, "cannot create the data folder " + settings.data_dir + ": " + failed.message() +
                                           "; set data_dir to a folder that this user can write"};
}

std::optional<std::filesystem::path> find_external_index_folder(const config::Settings& settings) {
  const auto config = nlohmann::json::parse(settings.search.config, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object() || !config.contains("path") || !config["path"].is_string()) return std::nullopt;
  std::error_code ignored;
  const auto folder = std::filesystem::weakly_canonical(config["path"].get<std::string>(), ignored);
  const auto within = folder.lexically_relative(std::filesystem::weakly_canonical(settings.data_dir, ignored));
  const bool is_elsewhere = within.empty() || *within.begin() == "..";
  if (!is_elsewhere || std::filesystem::is_regular_file(folder, ignored)) return std::nullopt;
  return folder;
}

Result<ServeLocks> acquire_locks(const config::Settings& settings) {
  auto data = KBASE_TRY(runtime::ServeLock::acquire(settings.data_dir, "data_dir"));
  ServeLocks locks{std::move(data), std::nullopt};
  if (const auto folder = find_external_index_folder(settings)) {
    std::error_code ignored;  // ServeLock reports the error
    std::filesystem::create_directories(*folder, ignored);
    auto index = KBASE_TRY(runtime::ServeLock::acquire(*folder, "search.config.path"));
    locks.index.emplace(std::move(index));
  }
  return locks;
}

Result<std::string> load_log_secret(const config::Settings& settings, Platform& platform) {
  if (!settings.logging.secret.empty()) return settings.logging.secret;
  return runtime::load_or_create_log_secret(std::filesystem::path(settings.data_dir) / "log.secret", platform.random);
}

Status check_configured_files(const config::Settings& settings) {
  if (const std::string defect = find_site_defect(settings.explorer); !defect.empty())
    return invalid_argument("explorer.path", defect);
  if (const std::string defect = find_ca_file_defect(settings.upstream); !defect.empty())
    return invalid_argument("upstream.ca_file", defect);
  return {};
}

}  // namespace kbase::composition
