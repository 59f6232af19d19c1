// SPDX-License-Identifier: Apache-2.0
#include "app/composition/explorer_site.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "app/plugin_host/plugin_search.hpp"

namespace kbase::composition {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{16} << 20;

std::string defect(const fs::path& folder, const std::string& why) {
  return folder.string() + ' ' + why + ": name a folder with an index.html, or leave it out";
}

model::Error unusable(const fs::path& folder, const std::string& why) {
  return {model::ErrorCode::Unsupported, "explorer.path: " + defect(folder, why), {}, {}, {}};
}

bool has_start_page(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "index.html", failed);
}

/// Escapes `text` for use as an HTML attribute value.
std::string escaped(std::string_view text) {
  std::string html;
  for (const char character : text) switch (character) {
      case '&':
        html += "&amp;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '<':
        html += "&lt;";
        break;
      default:
        html += character;
    }
  return html;
}

/// Sets the `content` of the meta element `name` if the page has one.
void fill_in(std::string& html, std::string_view name, std::string_view value) {
  const std::string element = "<meta name=\"" + std::string(name) + "\" content=\"";
  const std::size_t found = html.find(element);
  if (found == html.npos) return;
  const std::size_t begin = found + element.size();
  html.replace(begin, html.find('"', begin) - begin, escaped(value));
}

model::Result<std::string> bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof()) return unusable(file, "can't be read");
  return bytes;
}

/// Returns the URL path of a file of the folder.
std::string place_of(const std::string& name) {
  const bool has_place_of_its_own = name == "index.html" || name == "docs/index.html";
  return (has_place_of_its_own ? "/" : "/explorer/") + name;
}

}  // namespace

std::string defect_of_pages(const config::Explorer& settings) {
  const bool is_named = settings.enabled && !settings.path.empty();
  return !is_named || has_start_page(settings.path) ? std::string() : defect(settings.path, "has no index.html");
}

model::Result<std::vector<http::SiteFile>> explorer_site(const config::Settings& settings, ports::EventLog& log) {
  std::vector<http::SiteFile> site;
  const config::Explorer& wanted = settings.explorer;
  if (!wanted.enabled) return site;
  const fs::path installed = plugin_host::own_program().parent_path().parent_path() / "share/kbase/explorer";
  const fs::path folder = wanted.path.empty() ? installed : fs::path(wanted.path);
  if (!has_start_page(folder)) {
    if (!wanted.path.empty()) return unusable(folder, "has no index.html");
    const std::string path = folder.string();
    const ports::LogField fields[] = {{"path", path}};
    log.log(ports::LogLevel::Warning, "explorer.missing", "there are no pages to be shown at /", fields);
    return site;
  }
  std::error_code failed;
  std::uintmax_t total = 0;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (!entry->is_regular_file(failed)) continue;
    if ((total += entry->file_size(failed)) > kMostBytes) return unusable(folder, "has more than 16 MiB");
    auto bytes = bytes_of(entry->path());
    if (!bytes) return bytes.error();
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    if (name.ends_with(".html")) {
      fill_in(*bytes, "kbase-base", settings.server.base_path);
      fill_in(*bytes, "kbase-name", wanted.title);
    }
    site.push_back({place_of(name), *std::move(bytes)});
  }
  if (failed) return unusable(folder, "can't be read (" + failed.message() + ')');
  return site;
}

}  // namespace kbase::composition
