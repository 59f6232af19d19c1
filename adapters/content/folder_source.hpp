// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/markdown.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// A folder of Markdown files (docs/content/markdown-folders.md). Each file is an item; folders give categories.
///
/// - Reads `*.md`, `_category.yaml` and `categories.jsonl`, also with `.gz`, in the folder and all folders below it.
///   Skips names that start with '.' and all other files. Reads all categories first, then all items, both ordered by
///   the bytes of their paths.
/// - The id of an item is the `id` in its front matter, else the file name without extension. `index.md` and
///   `README.md` get the name of their folder. A second file with the same id is a bad record that names both files.
/// - The category of an item is the `category` in its front matter, else that of its folder: the `id` in the folder's
///   `_category.yaml`, else the folder's path below the source ("guides/advanced"). For the source folder itself it is
///   the folder's name.
/// - Links to folders are not followed. Links to files are followed, unless the target is outside the source: then the
///   file is a bad record.
class FolderSource final : public ports::ContentSource {
 public:
  /// Lists the folder. InvalidArgument: it, or a folder below it, cannot be read.
  static model::Result<std::unique_ptr<ports::ContentSource>> open(std::string name);

  std::string_view name() const override { return name_; }
  std::string_view wanted() const override;
  std::optional<double> progress() const override { return meter_.fraction(); }
  model::Status read(ports::Call& call, model::Visitor<ports::ContentRecord> visitor) override;

 private:
  struct File {
    std::string path;
    std::string folder;  ///< path below the source; "" for the source itself
    std::string stem;    ///< file name without .gz and without extension
    bool leads_out = false;
  };

  explicit FolderSource(std::string name) : name_(std::move(name)) {}

  model::Status list(const std::filesystem::path& folder, const std::string& below);
  void add(const std::filesystem::directory_entry& entry, const std::string& folder);
  bool leads_out(const std::filesystem::directory_entry& entry) const;
  std::string name_of(const std::string& folder) const;
  std::string category_of(const std::string& folder) const;

  model::Result<model::Visit> read_category_list(const File& file, const ports::Call& call,
                                                 model::Visitor<ports::ContentRecord> visitor);
  model::Result<model::Visit> read_category(const File& file, model::Visitor<ports::ContentRecord> visitor);
  model::Result<model::Visit> read_item(const File& file, model::Visitor<ports::ContentRecord> visitor);
  model::Result<std::string> read_file(const std::string& path);
  Record item_of(const File& file, std::string_view text);

  std::string name_;
  std::filesystem::path root_;  // canonical path of the folder
  Meter meter_;
  std::vector<File> category_lists_, categories_, items_;
  std::unordered_map<std::string, std::string> category_ids_;  // category ids from _category.yaml, by folder
  std::unordered_map<std::string, std::string> paths_;         // file paths, by item id
  MarkdownParser parser_;
  std::string reason_;
};

}  // namespace kbase::content
