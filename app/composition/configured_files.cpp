// SPDX-License-Identifier: Apache-2.0
#include "app/composition/configured_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "adapters/pages/accent.hpp"
#include "app/composition/upstream_services.hpp"
#include "app/plugin_host/plugin.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {

namespace {

/// Creates a folder that only this user can read.
Status create_folder(const std::filesystem::path& folder, std::string_view description) {
  std::error_code failed;
  if (std::filesystem::create_directories(folder, failed))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  if (!failed) return {};
  return Error{ErrorCode::Unavailable, "cannot create the " + std::string(description) + ' ' + folder.string() + ": " +
                                           failed.message() + "; set data_dir to a folder that this user can write"};
}

}  // namespace

Status prepare_data_dir(const config::Settings& settings) { return create_folder(settings.data_dir, "data folder"); }

std::filesystem::path upload_folder(const config::Settings& settings) {
  return std::filesystem::path(settings.data_dir) / "uploads";
}

Status prepare_upload_folder(const config::Settings& settings) {
  const std::filesystem::path folder = upload_folder(settings);
  std::error_code failed;
  std::filesystem::remove_all(folder, failed);
  if (!failed) return create_folder(folder, "folder of uploads");
  return Error{ErrorCode::Unavailable,
               "cannot empty the folder of uploads " + folder.string() + ": " + failed.message() + "; remove it"};
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

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{16} << 20;

std::string describe_defect(const fs::path& folder, const std::string& why) {
  return folder.string() + ' ' + why + "; set explorer.path to a folder with an index.html, or remove the setting";
}

Error site_error(const fs::path& folder, const std::string& why) {
  return {ErrorCode::Unsupported, "explorer.path: " + describe_defect(folder, why)};
}

bool has_start_page(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "index.html", failed);
}

/// Escapes `text` for use as an HTML attribute value.
std::string escape_attribute(std::string_view text) {
  std::string html;
  for (const char character : text) switch (character) {
      case '&': html += "&amp;"; break;
      case '"': html += "&quot;"; break;
      case '<': html += "&lt;"; break;
      default: html += character;
    }
  return html;
}

/// Sets the `content` of the meta element `name` if the page has one.
void set_meta_content(std::string& html, std::string_view name, std::string_view value) {
  const std::string element = "<meta name=\"" + std::string(name) + "\" content=\"";
  const std::size_t found = html.find(element);
  if (found == html.npos) return;
  const std::size_t begin = found + element.size();
  html.replace(begin, html.find('"', begin) - begin, escape_attribute(value));
}

Result<std::string> read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof()) return site_error(file, "cannot be read");
  return bytes;
}

/// Returns the URL path of a file of the folder.
std::string url_path(const std::string& name) {
  const bool is_root_page = name == "index.html" || name == "docs/index.html";
  return (is_root_page ? "/" : "/explorer/") + name;
}

pages::SiteOptions site_options(const config::Settings& settings) {
  const config::Explorer& explorer = settings.explorer;
  pages::SiteOptions options;
  options.name = explorer.title;
  options.description = explorer.description;
  options.base_path = settings.server.base_path;
  options.language = explorer.language;
  options.logo = explorer.logo;
  options.api_description = http::api_description(settings.server.base_path);
  options.has_accounts = settings.signup.mode != config::SignUpMode::Off;
  options.has_insights = settings.insights.enabled;
  for (const auto& [text, address] : explorer.links) options.links.push_back({text, address});
  for (const auto& [text, address] : explorer.footer) options.footer.push_back({text, address});
  return options;
}

}  // namespace

std::string find_site_defect(const config::Explorer& settings) {
  const bool is_named = settings.enabled && !settings.path.empty();
  return !is_named || has_start_page(settings.path) ? std::string()
                                                    : describe_defect(settings.path, "has no index.html");
}

Result<std::vector<http::SiteFile>> load_own_pages(const config::Settings& settings) {
  std::vector<http::SiteFile> site;
  const fs::path folder(settings.explorer.path);
  if (!has_start_page(folder)) return site_error(folder, "has no index.html");
  std::error_code failed;
  std::uintmax_t total = 0;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (!entry->is_regular_file(failed)) continue;
    if ((total += entry->file_size(failed)) > kMaxBytes) return site_error(folder, "is larger than 16 MiB");
    auto bytes = KBASE_TRY(read_file(entry->path()));
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    if (name.ends_with(".html")) {
      set_meta_content(bytes, "kbase-base", settings.server.base_path);
      set_meta_content(bytes, "kbase-name", settings.explorer.title);
    }
    site.push_back({url_path(name), std::move(bytes)});
  }
  if (failed) return site_error(folder, "cannot be read (" + failed.message() + ')');
  return site;
}

fs::path installed_folder() { return plugin_host::own_program().parent_path().parent_path() / "share/kbase"; }

Result<ServedSite> load_site(const config::Settings& settings, const pages::Pages::Dependencies& deps,
                             ports::EventLog& log) {
  ServedSite site;
  const config::Explorer& explorer = settings.explorer;
  if (!explorer.enabled) return site;
  if (!explorer.path.empty()) {
    auto files = KBASE_TRY(load_own_pages(settings));
    site.files = std::move(files);
    return site;
  }
  const fs::path folder = installed_folder() / "site";
  std::error_code failed;
  if (!fs::is_directory(folder / "templates", failed)) {
    const std::string path = folder.string();
    const ports::LogField fields[] = {{"path", path}};
    log.log(ports::LogLevel::Warning, "explorer.missing", "The pages are not installed, so there is no page at /.",
            fields);
    return site;
  }
  pages::SiteOptions options = site_options(settings);
  for (fs::directory_iterator entry(folder / "assets", failed), end; !failed && entry != end; entry.increment(failed)) {
    auto bytes = KBASE_TRY(read_file(entry->path()));
    std::string name = entry->path().filename().string();
    if (name == "site.css" && !explorer.accent.empty()) bytes += pages::accent_style(explorer.accent);
    site.files.push_back({std::move(name), std::move(bytes), true});
  }
  if (failed) return site_error(folder / "assets", "cannot be read (" + failed.message() + ')');
  // A new version of a file has a new address, the same on all servers. The files refer to each other by their names.
  std::sort(site.files.begin(), site.files.end(),
            [](const http::SiteFile& left, const http::SiteFile& right) { return left.path < right.path; });
  std::string all;
  for (const http::SiteFile& file : site.files) all += file.bytes;
  const std::string assets = "/assets/" + std::to_string(std::hash<std::string>()(all)) + '/';
  for (http::SiteFile& file : site.files) file.path.insert(0, assets);
  options.script = assets + "main.js";
  options.theme_script = assets + "theme.js";
  options.style = assets + "site.css";
  options.icon = "/favicon.svg";
  auto icon = KBASE_TRY(read_file(folder / "icon.svg"));
  site.files.push_back({options.icon, std::move(icon)});
  auto search_box = KBASE_TRY(read_file(folder / "search.js"));
  constexpr std::string_view kBaseMark = "__KBASE_BASE__";
  if (const std::size_t at = search_box.find(kBaseMark); at != search_box.npos)
    search_box.replace(at, kBaseMark.size(), settings.server.base_path);
  site.files.push_back({"/search.js", std::move(search_box)});
  auto pages = KBASE_TRY(pages::Pages::open(folder / "templates", std::move(options), deps));
  site.pages = std::move(pages);
  return site;
}

}  // namespace kbase::composition
