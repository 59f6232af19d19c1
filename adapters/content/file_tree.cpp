// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/file_tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/glob.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIgnoreFiles[] = {".gitignore", ".kbaseignore"};

std::string below(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + '/' + name;
}

class Lister {
 public:
  Lister(fs::path root, const std::vector<std::string>& exclude) : root_(std::move(root)), exclude_(exclude) {}

  Status list(const fs::path& folder, const std::string& path) {
    const std::size_t rules = read_rules(folder, path);
    std::error_code failure;
    std::vector<fs::directory_entry> entries(fs::directory_iterator(folder, failure), fs::directory_iterator());
    if (failure) return unreadable(folder.string(), failure.message());
    std::sort(entries.begin(), entries.end());
    for (const fs::directory_entry& entry : entries) {
      const std::string name = entry.path().filename().string();
      const std::string entry_path = below(path, name);
      std::error_code ignored;
      const bool is_folder = fs::is_directory(entry.symlink_status(ignored));
      if (name.starts_with('.') || is_left_out(entry_path, name, is_folder)) continue;
      if (is_folder)
        KBASE_TRY(list(entry.path(), entry_path));
      else if (!entry.is_directory(ignored))
        add(entry, name, entry_path, path);
    }
    rules_.erase(rules_.end() - static_cast<std::ptrdiff_t>(rules), rules_.end());
    return {};
  }

  std::vector<TreeFile> take() {
    std::sort(files_.begin(), files_.end(), [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
    return std::move(files_);
  }

 private:
  struct Rules {
    std::string folder;
    IgnoreRules rules;
  };

  /// Returns the number of files with rules in the folder.
  std::size_t read_rules(const fs::path& folder, const std::string& path) {
    std::size_t count = 0;
    for (const std::string_view name : kIgnoreFiles) {
      std::ifstream file(folder / name, std::ios::binary);
      if (!file) continue;
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      rules_.push_back({path, IgnoreRules(text)});
      ++count;
    }
    return count;
  }

  bool is_left_out(const std::string& path, const std::string& name, bool is_folder) const {
    if (is_folder && (name == "node_modules" || name == "vendor")) return true;
    if (is_selected(exclude_, path)) return true;
    for (auto each = rules_.rbegin(); each != rules_.rend(); ++each) {
      const std::string_view inner =
          each->folder.empty() ? std::string_view(path) : std::string_view(path).substr(each->folder.size() + 1);
      const IgnoreRules::Verdict verdict = each->rules.verdict(inner, is_folder);
      if (verdict != IgnoreRules::Verdict::None) return verdict == IgnoreRules::Verdict::Ignored;
    }
    return false;
  }

  void add(const fs::directory_entry& entry, const std::string& name, const std::string& path,
           const std::string& folder) {
    std::error_code failure;
    TreeFile file{path, name, folder, 0, links_outside(entry)};
    if (!file.links_outside) file.bytes = entry.file_size(failure);
    if (failure) file.bytes = 0;
    files_.push_back(std::move(file));
  }

  bool links_outside(const fs::directory_entry& entry) const {
    std::error_code failure;
    if (!entry.is_symlink(failure)) return false;
    const fs::path target = fs::canonical(entry.path(), failure);
    if (failure) return true;
    return std::mismatch(root_.begin(), root_.end(), target.begin(), target.end()).first != root_.end();
  }

  const fs::path root_;
  const std::vector<std::string>& exclude_;
  std::vector<Rules> rules_;
  std::vector<TreeFile> files_;
};

}  // namespace

Result<std::vector<TreeFile>> list_files(const fs::path& root, const std::vector<std::string>& exclude) {
  std::error_code failure;
  fs::path canonical = fs::canonical(root, failure);
  if (failure) return unreadable(root.string(), failure.message());
  Lister lister(std::move(canonical), exclude);
  KBASE_TRY(lister.list(root, ""));
  return lister.take();
}

std::string ending_of(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string() : ascii::to_lower(name.substr(dot));
}

std::string_view stem_of(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

}  // namespace kbase::content
