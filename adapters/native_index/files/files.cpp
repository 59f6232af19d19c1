// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/files.hpp"

namespace kbase::native_index {

model::Status replace_file(Files& files, const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path next = path.string() + ".new";
  {
    const auto file = files.create(next);
    if (!file) return file.error();
    if (const auto appended = (*file)->append(content); !appended) return appended;
    if (const auto synced = (*file)->sync(); !synced) return synced;
  }
  if (const auto renamed = files.rename(next, path); !renamed) return renamed;
  return files.sync_folder(path.parent_path());
}

model::Error damaged(std::string detail) {
  return {model::ErrorCode::Corrupt, "The search index is damaged; rebuild it.", std::move(detail), {}, {}};
}

model::Error cancelled() {
  return {model::ErrorCode::Cancelled, "The work on the search index was stopped.", {}, {}, {}};
}

}  // namespace kbase::native_index
