// SPDX-License-Identifier: Apache-2.0
#include "adapters/pages/templates.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

namespace kbase::pages {
namespace {

namespace fs = std::filesystem;

Error template_error(const fs::path& path, std::string_view why) {
  return {ErrorCode::Unsupported, "explorer.path: " + path.string() + ' ' + std::string(why)};
}

}  // namespace

Result<Templates> Templates::open(const fs::path& folder) {
  auto cache = std::make_unique<ctemplate::TemplateCache>();
  std::error_code failed;
  std::vector<fs::path> files;  // sorted, so that all servers have one edition
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in.good() && !in.eof()) return template_error(file, "cannot be read");
    if (!cache->StringToTemplateCache(file.filename().string(), text, ctemplate::STRIP_BLANK_LINES))
      return template_error(file, "is not a template of ctemplate");
    all += text;
  }
  if (failed) return template_error(folder, "cannot be read (" + failed.message() + ')');
  cache->Freeze();
  return Templates(std::move(cache), std::move(all));
}

std::string Templates::expand(const std::string& name, const ctemplate::TemplateDictionary& dictionary) const {
  std::string text;
  cache_->ExpandNoLoad(name, ctemplate::STRIP_BLANK_LINES, &dictionary, nullptr, &text);
  return text;
}

}  // namespace kbase::pages
