// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace kbase::native_index {

/// Returns the folder, in the folder of an index, of the files that this version can read. Each format has its own, so
/// that an index can be built while a server of another version still answers from its own.
std::filesystem::path format_folder(const std::filesystem::path& folder);

/// Removes the indexes of other formats from the folder of an index. Keeps all files that are not of an index, and
/// those that cannot be removed.
void remove_other_formats(const std::filesystem::path& folder);

}  // namespace kbase::native_index
