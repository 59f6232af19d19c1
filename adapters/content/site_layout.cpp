// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/site_layout.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <system_error>
#include <utility>

#include "adapters/content/edit_links.hpp"
#include "adapters/content/front_matter.hpp"
#include "adapters/content/glob.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

namespace fs = std::filesystem;
constexpr auto npos = std::string_view::npos;
constexpr std::size_t kMaxConfigBytes = std::size_t{4} << 20;

std::string join(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && !name.empty()) path += '/';
  return path.append(name);
}

bool is_below(std::string_view path, std::string_view folder) {
  return folder.empty() || (path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/');
}

/// A path written in a configuration, without "./" and a slash at its end.
std::string clean(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path == "." ? std::string() : std::string(path);
}

std::string without_ending(std::string_view path) {
  const std::size_t slash = path.rfind('/') + 1;
  const std::size_t dot = path.find_last_of('.');
  return std::string(dot == npos || dot <= slash ? path : path.substr(0, dot));
}

/// Reads the configuration of one generator, in the folder `base` below the source.
class Recogniser {
 public:
  Recogniser(const fs::path& root, std::string base, const std::vector<TreeFile>& files)
      : root_(root), base_(std::move(base)), files_(files) {}

  std::optional<SiteLayout> run() {
    for (const auto step :
         {&Recogniser::mdbook, &Recogniser::mkdocs, &Recogniser::docusaurus, &Recogniser::hugo, &Recogniser::antora,
          &Recogniser::sphinx, &Recogniser::obsidian, &Recogniser::logseq, &Recogniser::vitepress, &Recogniser::astro,
          &Recogniser::gitbook, &Recogniser::jekyll, &Recogniser::summary}) {
      SiteLayout layout;
      if (!(this->*step)(layout)) continue;
      if (layout.roots.empty()) layout.roots.push_back(base_);
      if (layout.edit_root.empty()) layout.edit_root = base_;
      return layout;
    }
    return std::nullopt;
  }

 private:
  bool has(std::string_view name) const {
    std::error_code ignored;
    return fs::exists(root_ / join(base_, name), ignored);
  }
  /// Returns an empty text if there is no such file, which can also be a folder.
  std::string read(std::string_view name) const {
    const fs::path path = root_ / join(base_, name);
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return {};
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.size() > kMaxConfigBytes ? std::string() : text;
  }
  /// Returns an empty map if the file is missing or cannot be read.
  Value config(std::string_view name) const {
    const std::string text = read(name);
    ValueOrDefect parsed = name.ends_with(".toml")   ? parse_toml(text)
                           : name.ends_with(".json") ? parse_json(text)
                                                     : parse_yaml(text);
    Value* const value = std::get_if<Value>(&parsed);
    return value != nullptr && value->kind == Value::Kind::Map ? std::move(*value) : Value();
  }
  static std::string text_of(const Value& map, std::string_view name, std::string_view otherwise = {}) {
    const Value* const value = map.find(name);
    return value != nullptr && value->is_scalar() ? value->text : std::string(otherwise);
  }
  void add_root(SiteLayout& layout, std::string_view folder) const {
    layout.roots.push_back(join(base_, clean(folder)));
  }

  /// The title of a site is the name of its root folder.
  static void name_site(SiteLayout& layout, const std::string& title) {
    if (!title.empty()) layout.names.emplace("", title);
  }

  bool mdbook(SiteLayout& layout) {
    if (!has("book.toml")) return false;
    layout.generator = "mdBook";
    const Value file = config("book.toml");
    const Value* const book = file.find("book");
    const std::string src = clean(book != nullptr ? text_of(*book, "src", "src") : "src");
    add_root(layout, src);
    if (book != nullptr) name_site(layout, text_of(*book, "title"));
    read_summary(layout, join(src, "SUMMARY.md"));
    layout.edit_address = mdbook_edit_address(file);
    return true;
  }

  bool mkdocs(SiteLayout& layout) {
    const std::string_view name = has("mkdocs.yml") ? "mkdocs.yml" : "mkdocs.yaml";
    if (!has(name)) return false;
    layout.generator = "MkDocs";
    // The tags of Python (!!python/name:...) make the file unreadable for other readers.
    std::string text = read(name);
    for (std::size_t at = text.find("!!python"); at != std::string::npos; at = text.find("!!python", at))
      text.replace(at, std::min(text.find_first_of(" \n", at), text.size()) - at, "");
    for (std::size_t at = text.find("!ENV"); at != std::string::npos; at = text.find("!ENV", at)) text.erase(at, 4);
    ValueOrDefect parsed = parse_yaml(text);
    const Value* const file = std::get_if<Value>(&parsed);
    add_root(layout, file != nullptr ? text_of(*file, "docs_dir", "docs") : "docs");
    if (file == nullptr) return true;
    name_site(layout, text_of(*file, "site_name"));
    layout.edit_address = mkdocs_edit_address(*file);
    layout.edit_root = layout.roots.front();
    if (const Value* const nav = file->find("nav")) read_navigation(layout, *nav);
    const Value* const hidden = file->find("exclude_docs");
    if (hidden != nullptr) add_patterns(layout, hidden->text);
    return true;
  }
  static void add_patterns(SiteLayout& layout, std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      const std::string_view line = utf8::trimmed(lines.substr(0, end));
      if (!line.empty() && line.front() != '#' && line.front() != '!')
        layout.hidden.emplace_back(line.front() == '/' ? line.substr(1) : line);
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }
  /// `- Guide: guide/index.md`, `- guide/index.md`, `- Guide: [...]`.
  void read_navigation(SiteLayout& layout, const Value& nav) {
    for (const Value& entry : nav.entries) {
      if (entry.is_scalar()) note(layout, entry.text, {});
      for (const auto& [name, target] : entry.members) {
        if (target.is_scalar())
          note(layout, target.text, name);
        else
          read_section(layout, name, target);
      }
    }
  }
  /// The name of a section is that of the folder which all of its pages share.
  void read_section(SiteLayout& layout, const std::string& name, const Value& section) {
    std::optional<std::string> folder;
    const std::function<void(const Value&)> visit = [&](const Value& list) {
      const auto add = [&](std::string_view page) {
        const std::string each(page.substr(0, page.rfind('/') == npos ? 0 : page.rfind('/')));
        if (!folder) folder = each;
        while (!folder->empty() && each != *folder && !is_below(each, *folder))
          folder->resize(folder->rfind('/') == std::string::npos ? 0 : folder->rfind('/'));
      };
      for (const Value& entry : list.entries) {
        if (entry.is_scalar()) add(entry.text);
        for (const auto& [title, target] : entry.members) target.is_scalar() ? add(target.text) : visit(target);
      }
    };
    visit(section);
    if (folder && !folder->empty()) layout.names.emplace(*folder, name);
    read_navigation(layout, section);  // of sections that share a folder, the outer one names it
  }
  void note(SiteLayout& layout, std::string_view page, std::string_view name) {
    if (page.find("://") != npos) return;
    page = page.substr(0, page.find('#'));
    const std::string path = without_ending(clean(page));
    layout.order.emplace(path, static_cast<int>(layout.order.size()));
    if (!name.empty()) layout.names.emplace(path, name);
  }

  /// Returns the name of a JavaScript file with this stem; empty: no such file.
  std::string find_script(std::string_view stem) const {
    for (const std::string_view ending : {".js", ".ts", ".mjs", ".cjs", ".mts"})
      if (std::string name = std::string(stem).append(ending); has(name)) return name;
    return {};
  }

  bool docusaurus(SiteLayout& layout) {
    const std::string config = find_script("docusaurus.config");
    if (config.empty()) return false;
    layout.generator = "Docusaurus";
    layout.edit_address = docusaurus_edit_address(read(config));
    layout.local_ids = true;
    layout.hidden = {"README.md",         "CHANGELOG.md", "CONTRIBUTING.md", "static/**",  "build/**",
                     "src/components/**", "src/theme/**", "tests/**",        "**/__*__/**"};
    return true;
  }

  bool hugo(SiteLayout& layout) {
    static constexpr std::array<std::string_view, 8> kConfigs = {
        "hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml", "config.yaml", "config.yml", "config.json"};
    for (const std::string_view name : kConfigs) {
      for (const std::string& place : {std::string(name), join("config/_default", name)}) {
        if (!has(place)) continue;
        const std::string content = clean(text_of(config(place), "contentDir", "content"));
        if (!name.starts_with("hugo") && !has(content)) continue;
        layout.generator = "Hugo";
        add_root(layout, content);
        name_site(layout, text_of(config(place), "title"));
        layout.edit_address = hugo_edit_address(config(place));
        return true;
      }
    }
    // Only Hugo names the page of a folder so.
    const std::string content = join(base_, "content");
    const bool has_index = std::any_of(files_.begin(), files_.end(), [&](const TreeFile& file) {
      return file.name == "_index.md" && is_below(file.path, content);
    });
    if (!has_index) return false;
    layout.generator = "Hugo";
    layout.roots.push_back(content);
    return true;
  }

  bool antora(SiteLayout& layout) {
    if (!has("antora.yml")) return false;
    layout.generator = "Antora";
    layout.hidden = {"**/partials/**", "**/examples/**", "**/attachments/**", "**/nav.adoc", "nav.adoc"};
    return true;
  }

  bool sphinx(SiteLayout& layout) {
    for (const std::string_view folder : {"", "source", "docs", "doc", "docs/source", "doc/source"}) {
      const std::string file = join(folder, "conf.py");
      if (!has(file)) continue;
      layout.generator = "Sphinx";
      add_root(layout, folder);
      layout.hidden = {"_build", "_build/**"};
      const std::string text = read(file);
      read_list(text, "exclude_patterns", layout.hidden);
      layout.edit_address = sphinx_edit_address(text);
      layout.edit_root = layout.roots.front();
      return true;
    }
    return false;
  }
  /// Reads `name = ["a", "b"]` of Python.
  static void read_list(std::string_view text, std::string_view name, std::vector<std::string>& list) {
    const std::size_t at = text.find(name);
    const std::size_t open = at == npos ? npos : text.find('[', at);
    const std::size_t close = open == npos ? npos : text.find(']', open);
    if (close == npos || text.substr(at, open - at).find('\n') != npos) return;
    std::string_view inside = text.substr(open + 1, close - open - 1);
    for (;;) {
      const std::size_t begin = inside.find_first_of("'\"");
      const std::size_t end = begin == npos ? npos : inside.find(inside[begin], begin + 1);
      if (end == npos) return;
      list.emplace_back(inside.substr(begin + 1, end - begin - 1));
      inside.remove_prefix(end + 1);
    }
  }

  bool obsidian(SiteLayout& layout) {
    if (!has(".obsidian")) return false;
    layout.generator = "Obsidian";
    return true;
  }
  bool logseq(SiteLayout& layout) {
    if (!has("logseq/config.edn") && !(has("journals") && has("pages"))) return false;
    layout.generator = "Logseq";
    for (const std::string_view folder : {"pages", "journals", "whiteboards"})
      if (has(folder)) add_root(layout, folder);
    return true;
  }
  bool vitepress(SiteLayout& layout) {
    if (!has(".vitepress") && !has(".vuepress")) return false;
    layout.generator = has(".vitepress") ? "VitePress" : "VuePress";
    layout.edit_address = vitepress_edit_address(read(find_script(".vitepress/config")));
    return true;
  }
  bool astro(SiteLayout& layout) {
    const std::string config = find_script("astro.config");
    if (!has("src/content/docs") && (config.empty() || !has("src/content"))) return false;
    layout.generator = "Astro";
    layout.edit_address = starlight_edit_address(read(config));
    add_root(layout, has("src/content/docs") ? "src/content/docs" : "src/content");
    return true;
  }
  bool gitbook(SiteLayout& layout) {
    if (!has(".gitbook.yaml")) return false;
    layout.generator = "GitBook";
    const std::string root = clean(text_of(config(".gitbook.yaml"), "root"));
    add_root(layout, root);
    read_summary(layout, join(root, "SUMMARY.md"));
    return true;
  }

  bool jekyll(SiteLayout& layout) {
    const std::string_view name = has("_config.yml") ? "_config.yml" : "_config.yaml";
    if (!has(name)) return false;
    layout.generator = "Jekyll";
    const Value file = config(name);
    name_site(layout, text_of(file, "title"));
    layout.edit_address = jekyll_edit_address(file);
    const Value* const collections = file.find("collections");
    if (collections != nullptr) {
      for (const auto& [collection, options] : collections->members)
        if (text_of(options, "output", "true") != "false") layout.collections.insert('_' + collection);
      for (const Value& collection : collections->entries) layout.collections.insert('_' + collection.text);
    }
    layout.hidden = {"README.md", "Gemfile", "assets/**", "404.md", "404.html"};
    if (const Value* const hidden = file.find("exclude"))
      for (const Value& entry : hidden->entries) layout.hidden.push_back(clean(entry.text));
    return true;
  }

  bool summary(SiteLayout& layout) {
    const std::string_view name = has("SUMMARY.md") ? "SUMMARY.md" : "src/SUMMARY.md";
    if (!has(name)) return false;
    layout.generator = "mdBook or GitBook";
    add_root(layout, name.starts_with("src") ? "src" : "");
    read_summary(layout, std::string(name));
    return true;
  }
  /// `- [Name](path.md)`.
  void read_summary(SiteLayout& layout, const std::string& name) {
    const std::string text = read(name);
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t open = line.find('['), middle = line.rfind("](");
      const std::size_t close = middle == npos ? npos : line.find(')', middle);
      if (open == npos || close == npos || open > middle) continue;
      const std::string_view target = line.substr(middle + 2, close - middle - 2);
      if (!target.empty()) note(layout, target, utf8::trimmed(line.substr(open + 1, middle - open - 1)));
    }
  }

  const fs::path& root_;
  const std::string base_;
  const std::vector<TreeFile>& files_;
};

}  // namespace

std::optional<std::string> SiteLayout::page_path(const TreeFile& file) const {
  for (const std::string& root : roots) {
    if (!is_below(file.path, root)) continue;
    const std::string path = file.path.substr(root.empty() ? 0 : root.size() + 1);
    const std::string stem(stem_of(file.name));
    if (is_selected(hidden, path) || stem == "SUMMARY") return std::nullopt;
    for (std::string_view rest = path; !rest.empty();) {
      const std::size_t end = std::min(rest.find('/'), rest.size());
      const std::string_view segment = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (segment.front() != '_') continue;
      const bool is_index = rest.empty() && stem == "_index";
      if (!is_index && (rest.empty() || !collections.contains(std::string(segment)))) return std::nullopt;
    }
    return path;
  }
  return std::nullopt;
}

std::string SiteLayout::edit_address_of(const TreeFile& file) const {
  if (edit_address.empty() || !is_below(file.path, edit_root)) return {};
  return content::edit_address(edit_address,
                               std::string_view(file.path).substr(edit_root.empty() ? 0 : edit_root.size() + 1));
}

SiteLayout recognise_site(const fs::path& root, const std::vector<TreeFile>& files) {
  for (const std::string_view base : {"", "docs", "doc", "website", "site", "source"}) {
    auto layout = Recogniser(root, std::string(base), files).run();
    if (!layout) continue;
    const bool has_pages = std::any_of(files.begin(), files.end(),
                                       [&](const TreeFile& file) { return layout->page_path(file).has_value(); });
    if (has_pages) return *std::move(layout);
  }
  SiteLayout plain;
  plain.roots.emplace_back();
  return plain;
}

}  // namespace kbase::content
