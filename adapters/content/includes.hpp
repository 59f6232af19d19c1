// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::content {

/// Puts the files that a page includes in the place of the notation: `{{#include f}}` and its kind (mdBook), `--8<--
/// "f"` (MkDocs), `{% include f %}` (Jekyll), `{{% include "f" %}}` (Hugo), `![[page]]` (Obsidian), and the directives
/// `include`, `literalinclude` and `csv-table` with `:file:` of reStructuredText. A file outside the source, or one
/// that cannot be read, is not included. Includes within includes are resolved up to eight levels, and up to 4 MiB for
/// a page.
class Includes {
 public:
  /// `root` is the canonical path of the source. `folders` are further folders below it in which included files are
  /// looked for.
  Includes(std::filesystem::path root, std::vector<std::string> folders)
      : root_(std::move(root)), folders_(std::move(folders)) {}

  /// Returns the body with its includes; the body itself if it has none. `folder` is that of the page, below the
  /// source. The result is valid until the next call.
  std::string_view resolve(std::string_view body, const std::string& folder);

  /// As resolve(), for reStructuredText.
  std::string_view resolve_rst(std::string_view body, const std::string& folder);

 private:
  std::string expand(std::string_view body, const std::string& folder, int depth);
  std::string expand_rst(std::string_view body, const std::string& folder, int depth);
  std::optional<std::string> included(std::string_view target, const std::string& folder, int depth);
  std::optional<std::string> read(std::string_view name, const std::string& folder, std::string& found_in) const;

  std::filesystem::path root_;
  std::vector<std::string> folders_;
  std::string result_;
  std::size_t bytes_ = 0;  // of the current page's includes
};

}  // namespace kbase::content
