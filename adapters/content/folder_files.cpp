// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/folder_files.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/content/glob.hpp"
#include "domain/base/text.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::content {
namespace {

constexpr std::string_view kNoProgram =
    "pages that need a program to be read are left out, because none runs for content that is sent; import them with "
    "the command kbase import";

constexpr std::array<std::string_view, 9> kPageEndings = {".md",   ".markdown", ".mdx",   ".mkd", ".mdown",
                                                          ".html", ".htm",      ".xhtml", ".txt"};

/// Plain texts that programs read, not people.
constexpr std::array<std::string_view, 6> kNotPages = {"robots.txt", "requirements.txt", "cmakelists.txt",
                                                       "humans.txt", "ads.txt",          "cname"};

std::string_view without_gz(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name;
}

bool is_description(std::string_view name) {
  for (const std::string_view stem : {"_category", "_category_"})
    for (const std::string_view ending : {".yaml", ".yml", ".json"})
      if (name == std::string(stem) + std::string(ending)) return true;
  return false;
}

class Sorter {
 public:
  Sorter(const SourceOptions& options, const Converters& converters, const std::string& root_name, FolderFiles& sorted)
      : options_(options), converters_(converters), root_name_(root_name), sorted_(sorted) {}

  void add(TreeFile file) {
    const std::string ending = ending_of(file.name);
    const std::string name = ascii::to_lower(file.name);
    if (is_description(without_gz(file.name))) {
      sorted_.descriptions.push_back(std::move(file));
      return;
    }
    if (ending == ".jsonl" || ending == ".ndjson") {
      if (is_included(file)) sorted_.records.push_back(std::move(file));
      return;
    }
    const bool is_text =
        is_page_ending(ending) && std::find(kNotPages.begin(), kNotPages.end(), name) == kNotPages.end();
    if (!is_text && !converters_.knows(ending)) {
      std::vector<std::string>& remarks = sorted_.notes.remarks;
      if (converters_.misses_program(ending) && std::ranges::count(remarks, kNoProgram) == 0)
        remarks.emplace_back(kNoProgram);
      return skip(ending, file.name);
    }
    if (ending == ".txt" && !sorted_.layout.generator.empty()) return skip(ending, file.name);
    const auto path = sorted_.layout.page_path(file);
    if (!path || !is_included(file)) return;  // the generator, or the user, leaves it out
    const std::string package = is_text ? std::string() : converters_.missing_package(ending);
    if (!package.empty()) {
      sorted_.notes.packages.insert(package);
      return skip(ending, file.name);
    }
    add_page(std::move(file), *path, ending);
  }

  /// Gives each page its ids.
  void finish() {
    std::map<std::string, std::size_t, std::less<>> taken;
    const auto take = [&](std::size_t page, std::string id) {
      if (!taken.emplace(id, page).second) return false;
      sorted_.pages[page].by_path = std::move(id);
      return true;
    };
    for (const Claim claim : {Claim::Own, Claim::Index, Claim::Readme}) {
      for (std::size_t i = 0; i < sorted_.pages.size(); ++i) {
        const PagePath& page = sorted_.pages[i];
        if (claim_of(page) != claim) continue;
        const std::string key = model::page_key(page.path);
        if (take(i, key.empty() ? root_name_ : key) || take(i, page.path)) continue;
        for (std::string id = page.path + page.ending; !take(i, id); id += '_') {
        }
      }
    }
  }

 private:
  /// Which of several pages with one id has it: the one of that name, else the index, else the README.
  enum class Claim { Own, Index, Readme };
  static Claim claim_of(const PagePath& page) {
    const std::string_view name = model::path_name(page.path);
    if (!model::is_index_page(name)) return Claim::Own;
    return ascii::to_lower(name) == "readme" ? Claim::Readme : Claim::Index;
  }

  bool is_included(const TreeFile& file) const {
    return options_.include.empty() || is_selected(options_.include, file.path);
  }

  void skip(const std::string& ending, const std::string& name) {
    ++sorted_.notes.skipped[ending.empty() ? name : ending];
  }

  void add_page(TreeFile file, const std::string& path, const std::string& ending) {
    PagePath page;
    page.folder = model::path_folder(path);
    page.path =
        page.folder.empty() ? std::string(stem_of(file.name)) : page.folder + '/' + std::string(stem_of(file.name));
    page.ending = ending;
    const std::string key = model::page_key(page.path);
    page.by_name = key.empty() ? root_name_ : std::string(model::path_name(key));
    page.file = std::move(file);
    sorted_.pages.push_back(std::move(page));
  }

  const SourceOptions& options_;
  const Converters& converters_;
  const std::string& root_name_;
  FolderFiles& sorted_;
};

}  // namespace

bool is_page_ending(std::string_view ending) {
  return std::find(kPageEndings.begin(), kPageEndings.end(), ending) != kPageEndings.end();
}

FolderFiles sort_files(const std::filesystem::path& root, std::vector<TreeFile> files, const std::string& root_name,
                       const SourceOptions& options, const Converters& converters) {
  FolderFiles sorted;
  sorted.layout = recognise_site(root, files);
  sorted.notes.generator = sorted.layout.generator;
  Sorter sorter(options, converters, root_name, sorted);
  for (TreeFile& file : files) sorter.add(std::move(file));
  sorter.finish();
  return sorted;
}

}  // namespace kbase::content
