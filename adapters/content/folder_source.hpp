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

/// A folder of Markdown files (docs/content/markdown-folders.md), each an item, and of its folders' categories:
///
/// - Read are `*.md`, `_category.yaml` and `categories.jsonl` in the folder and all below it, also with `.gz`; names
///   that begin with '.' and all other files are passed over. First all categories, then all items, each by the bytes
///   of their paths.
/// - An item's id is that of its front matter, else the file's name without extension; `index.md` and `README.md` take
///   their folder's name. A second file of one id is a bad record that names both.
/// - An item's category is that of its front matter, else its folder's: the `id` in the folder's `_category.yaml`, else
///   the folder's path below the source ("guides/advanced"), of the source itself its name.
/// - Links to folders are not followed; a link to a file is, unless it leads out of the source: then the file is a bad
///   record.
class FolderSource final : public ports::ContentSource {
 public:
  /// Lists the folder. InvalidArgument: a folder in it cannot be read.
  static model::Result<std::unique_ptr<ports::ContentSource>> open(std::string name);

  std::string_view name() const override { return name_; }
  std::string_view wanted() const override;
  std::optional<double> progress() const override { return meter_.fraction(); }
  model::Status read(ports::Call& call, model::Visitor<ports::ContentRecord> visitor) override;

 private:
  struct File {
    std::string path;
    std::string folder;  ///< below the source, "" for the source itself
    std::string stem;    ///< the name without .gz and without extension
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
  std::filesystem::path root_;  // where the folder is in truth
  Meter meter_;
  std::vector<File> category_lists_, categories_, items_;
  std::unordered_map<std::string, std::string> category_ids_;  // by folder, from _category.yaml
  std::unordered_map<std::string, std::string> paths_;         // by item id
  MarkdownParser parser_;
  std::string reason_;
};

}  // namespace kbase::content
