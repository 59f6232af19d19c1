// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/other_formats.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "adapters/native_index/commits/index_folder.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "domain/base/text.hpp"

namespace kbase::native_index {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormatPrefix = "format-";

bool is_numbered(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(), ascii::is_digit);
}

/// Whether it is a file of version 1.0.0, which had one folder for all formats.
bool is_index_file(std::string_view name) {
  return name == kManifestName || name == "manifest.new" || name == "lock" || is_numbered(name, kSegmentPrefix);
}

}  // namespace

fs::path format_folder(const fs::path& folder) {
  return folder / (std::string(kFormatPrefix) + std::to_string(kSegmentFormat));
}

void remove_other_formats(const fs::path& folder) {
  std::error_code failed;
  const fs::path own = format_folder(folder).filename();
  for (fs::directory_iterator entry(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const fs::path name = entry->path().filename();
    std::error_code kept;
    if (entry->is_directory(kept) ? name != own && is_numbered(name.native(), kFormatPrefix)
                                  : is_index_file(name.native()))
      fs::remove_all(entry->path(), kept);
  }
}

}  // namespace kbase::native_index
