// SPDX-License-Identifier: Apache-2.0
#include "adapters/templates/templates.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

namespace kbase {
namespace {

namespace fs = std::filesystem;

/// Plain text keeps its blank lines.
ctemplate::Strip strip_of(std::string_view name) {
  return name.ends_with(".txt") ? ctemplate::DO_NOT_STRIP : ctemplate::STRIP_BLANK_LINES;
}

Error template_error(std::string_view setting, const fs::path& path, std::string_view why) {
  return {ErrorCode::Unsupported, std::string(setting) + ": " + path.string() + ' ' + std::string(why)};
}

}  // namespace

Result<Templates> Templates::open(const fs::path& folder, std::string_view setting) {
  auto cache = std::make_unique<ctemplate::TemplateCache>();
  std::error_code failed;
  std::vector<fs::path> files;  // sorted, so that all servers have one edition
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  std::set<std::string> names;
  std::string all;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in.good() && !in.eof()) return template_error(setting, file, "cannot be read");
    const std::string name = file.filename().string();
    if (!cache->StringToTemplateCache(name, text, strip_of(name)))
      return template_error(setting, file, "is not a template of ctemplate");
    names.insert(name);
    all += text;
  }
  if (failed) return template_error(setting, folder, "cannot be read (" + failed.message() + ')');
  cache->Freeze();
  return Templates(std::move(cache), std::move(names), std::move(all));
}

std::string Templates::expand(const std::string& name, const ctemplate::TemplateDictionary& dictionary) const {
  std::string text;
  cache_->ExpandNoLoad(name, strip_of(name), &dictionary, nullptr, &text);
  return text;
}

}  // namespace kbase
