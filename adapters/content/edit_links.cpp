// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/edit_links.hpp"

#include <algorithm>

#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view kPath = "{path}";

std::string text_of(const Value* map, std::string_view name, std::string_view otherwise = {}) {
  const Value* const value = map == nullptr ? nullptr : map->find(name);
  return value != nullptr && value->is_scalar() ? value->text : std::string(otherwise);
}

std::string with_slash(std::string text) {
  if (!text.empty() && text.back() != '/') text += '/';
  return text;
}

bool is_address(std::string_view text) { return text.starts_with("https://") || text.starts_with("http://"); }

/// Returns the address of a page below `folder`; empty if that is not an address.
std::string below(std::string folder) {
  return is_address(folder) ? with_slash(std::move(folder)).append(kPath) : std::string();
}

/// Returns the text literal that follows `name` and a colon or an equals sign, in JavaScript or Python; empty: no such
/// literal.
std::string literal_after(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != npos; at = text.find(name, at + 1)) {
    std::string_view rest = text.substr(at + name.size());
    if (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) rest.remove_prefix(1);
    rest = utf8::trimmed(rest);
    if (rest.empty() || (rest.front() != ':' && rest.front() != '=')) continue;
    rest = utf8::trimmed(rest.substr(1));
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'' && rest.front() != '`')) continue;
    const std::size_t end = rest.find(rest.front(), 1);
    const std::string_view literal = rest.substr(1, end == npos ? npos : end - 1);
    if (end != npos && literal.find("${") == npos) return std::string(literal);
  }
  return {};
}

/// Returns the part of a JavaScript text from `name` on; empty if it is not there.
std::string_view from(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  return at == npos ? std::string_view() : text.substr(at);
}

std::string with_path(std::string address, std::string_view placeholder) {
  const std::size_t at = address.find(placeholder);
  if (at == std::string::npos || !is_address(address)) return {};
  return address.replace(at, placeholder.size(), kPath);
}

}  // namespace

std::string mkdocs_edit_address(const Value& config) {
  const std::string repository = text_of(&config, "repo_url");
  if (const std::string pattern = text_of(&config, "edit_uri_template"); !pattern.empty())
    return with_path(is_address(pattern) ? pattern : with_slash(repository) + pattern, kPath);
  const bool has_default =
      repository.find("github.com") != std::string::npos || repository.find("gitlab.com") != std::string::npos;
  const std::string edit = text_of(&config, "edit_uri", has_default ? "edit/master/docs/" : "");
  if (edit.empty() || is_address(edit)) return below(edit);
  const bool is_query = edit.front() == '?' || edit.front() == '#';
  return is_query ? with_path(repository + edit + std::string(kPath), kPath) : below(with_slash(repository) + edit);
}

std::string mdbook_edit_address(const Value& config) {
  const Value* const output = config.find("output");
  const Value* const html = output == nullptr ? nullptr : output->find("html");
  return with_path(text_of(html, "edit-url-template"), kPath);
}

std::string docusaurus_edit_address(std::string_view config) { return below(literal_after(config, "editUrl")); }

std::string vitepress_edit_address(std::string_view config) {
  return with_path(literal_after(from(config, "editLink"), "pattern"), ":path");
}

std::string starlight_edit_address(std::string_view config) {
  return below(literal_after(from(config, "editLink"), "baseUrl"));
}

std::string sphinx_edit_address(std::string_view config) {
  const std::string_view context = from(config, "html_context");
  for (const std::string_view host : {"github", "gitlab"}) {
    const auto value = [&](std::string_view name) {
      return literal_after(context, std::string(host) + '_' + std::string(name));
    };
    const std::string user = value("user"), repository = value("repo"), branch = value("version");
    if (user.empty() || repository.empty() || branch.empty()) continue;
    std::string folder = literal_after(context, "conf_py_path");
    if (!folder.starts_with('/')) folder.insert(0, "/");
    const std::string_view edit = host == "github" ? "/edit/" : "/-/edit/";
    return below("https://" + std::string(host) + ".com/" + user + '/' + repository + std::string(edit) + branch +
                 folder);
  }
  return {};
}

std::string jekyll_edit_address(const Value& config) {
  const std::string repository = text_of(&config, "gh_edit_repository");
  const std::string branch = text_of(&config, "gh_edit_branch"), mode = text_of(&config, "gh_edit_view_mode", "edit");
  if (text_of(&config, "gh_edit_link") == "false" || repository.empty() || branch.empty()) return {};
  return below(with_slash(repository) + mode + '/' + with_slash(branch) + text_of(&config, "gh_edit_source"));
}

std::string hugo_edit_address(const Value& config) {
  const Value* const parameters = config.find("params");
  const std::string repository = text_of(parameters, "github_repo");
  if (repository.empty()) return {};
  return below(with_slash(repository) + "edit/" + with_slash(text_of(parameters, "github_branch", "main")) +
               text_of(parameters, "github_subdir"));
}

std::string edit_address(std::string_view address, std::string_view path) {
  std::string encoded;
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    encoded += percent_encode(path.substr(0, end));
    if (end == path.size()) break;
    encoded += '/';
    path.remove_prefix(end + 1);
  }
  std::string result(address);
  return result.replace(result.find(kPath), kPath.size(), encoded);
}

}  // namespace kbase::content
