// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/content_source.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/markdown.hpp"
#include "adapters/content/record_parser.hpp"
#include "domain/base/result.hpp"

namespace kbase::content {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCategoryFile = "_category.yaml";
constexpr std::string_view kCategoryList = "categories.jsonl";
constexpr std::string_view kMarkdown = ".md";
constexpr std::string_view kLinksOutside =
    "is a link that is broken or leads out of the source; such links are not followed";

std::string_view remove_suffix(std::string_view name, std::string_view ending) {
  if (name.ends_with(ending)) name.remove_suffix(ending.size());
  return name;
}

template <class Files> void sort_by_path(Files& files) {
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
}

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
  static Result<std::unique_ptr<ports::ContentSource>> open(std::string name) {
    std::unique_ptr<FolderSource> source(new FolderSource(std::move(name)));
    std::error_code failure;
    source->root_ = fs::canonical(source->name_, failure);
    if (failure) return unreadable(source->name_, failure.message());
    KBASE_TRY(source->list(source->name_, ""));
    sort_by_path(source->category_lists_);
    sort_by_path(source->categories_);
    sort_by_path(source->items_);
    return {std::move(source)};
  }

  std::string_view name() const override { return name_; }
  std::string_view expected_content() const override {
    return "files *.md, _category.yaml and categories.jsonl, also with .gz, whose names and folders do not begin with "
           "'.'";
  }

  std::optional<double> progress() const override { return meter_.fraction(); }
  Status read(ports::Call& call, Visitor<ports::ContentRecord> visitor) override {
    const auto read_each = [&](const std::vector<File>& files, auto read_one) -> Result<Visit> {
      for (const File& file : files) {
        if (call.cancelled()) return reading_cancelled(file.path);
        auto outcome =
            file.links_outside ? Result(visitor({{file.path, 0}, ports::Reject{kLinksOutside, {}}})) : read_one(file);
        if (!outcome || *outcome == Visit::Stop) return outcome;
      }
      return Visit::Continue;
    };
    auto outcome =
        read_each(category_lists_, [&](const File& file) { return read_category_list(file, call, visitor); });
    if (outcome && *outcome == Visit::Continue)
      outcome = read_each(categories_, [&](const File& file) { return read_category(file, visitor); });
    if (outcome && *outcome == Visit::Continue)
      outcome = read_each(items_, [&](const File& file) { return read_item(file, visitor); });
    if (!outcome) return outcome.error();
    return {};
  }

 private:
  struct File {
    std::string path;
    std::string folder;  ///< path below the source; "" for the source itself
    std::string stem;    ///< file name without .gz and without extension
    bool links_outside = false;
  };

  explicit FolderSource(std::string name) : name_(std::move(name)) {}

  Status list(const fs::path& folder, const std::string& below) {
    std::error_code failure;
    fs::directory_iterator entries(folder, failure);
    for (; !failure && entries != fs::directory_iterator(); entries.increment(failure)) {
      const std::string entry_name = entries->path().filename().string();
      if (entry_name.starts_with('.')) continue;
      std::error_code ignored;
      if (fs::is_directory(entries->symlink_status(ignored))) {
        auto listed = list(entries->path(), below.empty() ? entry_name : below + '/' + entry_name);
        if (!listed) return listed;
      } else if (!entries->is_directory(ignored)) {
        add(*entries, below);
      }
    }
    if (failure) return unreadable(folder.string(), failure.message());
    return {};
  }

  void add(const fs::directory_entry& entry, const std::string& folder) {
    const std::string file_name = entry.path().filename().string();
    const std::string_view uncompressed_name = remove_suffix(file_name, ".gz");
    const bool is_item = uncompressed_name.ends_with(kMarkdown);
    if (!is_item && uncompressed_name != kCategoryFile && uncompressed_name != kCategoryList) return;
    auto& files = is_item ? items_ : uncompressed_name == kCategoryFile ? categories_ : category_lists_;
    const bool is_outside = links_outside(entry);
    files.push_back(
        {entry.path().string(), folder, std::string(remove_suffix(uncompressed_name, kMarkdown)), is_outside});
    std::error_code ignored;
    if (const auto size = entry.file_size(ignored); !ignored && !is_outside) meter_.expect(size);
  }

  bool links_outside(const fs::directory_entry& entry) const {
    std::error_code failure;
    if (!entry.is_symlink(failure)) return false;
    const fs::path target = fs::canonical(entry.path(), failure);
    if (failure) return true;
    return std::mismatch(root_.begin(), root_.end(), target.begin(), target.end()).first != root_.end();
  }

  std::string folder_name(const std::string& folder) const {
    return folder.empty() ? root_.filename().string() : fs::path(folder).filename().string();
  }

  std::string folder_category(const std::string& folder) const {
    const auto named = category_ids_.find(folder);
    if (named != category_ids_.end()) return named->second;
    return folder.empty() ? folder_name(folder) : folder;
  }

  Result<Visit> read_category_list(const File& file, const ports::Call& call, Visitor<ports::ContentRecord> visitor) {
    const auto stream = KBASE_TRY(ByteStream::open(file.path, meter_));
    return read_json_lines(*stream, file.path, RecordKind::Category, call, visitor);
  }

  Result<Visit> read_category(const File& file, Visitor<ports::ContentRecord> visitor) {
    const auto text = KBASE_TRY(read_file(file.path));
    const Record record = parser_.category(text, folder_category(file.folder));
    if (const auto* category = std::get_if<ports::CategoryRecord>(&record)) category_ids_[file.folder] = category->id;
    return visitor({{file.path, parser_.defect_line()}, record, parser_.unknown()});
  }

  Result<Visit> read_item(const File& file, Visitor<ports::ContentRecord> visitor) {
    const auto text = KBASE_TRY(read_file(file.path));
    Record record = parse_item(file, text);
    if (const auto* item = std::get_if<ports::ItemRecord>(&record)) {
      const auto [known, is_new] = paths_.emplace(item->id, file.path);
      if (!is_new) {
        reason_ = "has the same id \"" + known->first + "\" as " + known->second;
        record = ports::Reject{reason_, {}};
      }
    }
    return visitor({{file.path, parser_.defect_line()}, record, parser_.unknown()});
  }

  Result<std::string> read_file(const std::string& path) {
    const auto stream = KBASE_TRY(ByteStream::open(path, meter_));
    return read_all(*stream, path, kMaxRecordBytes);
  }

  Record parse_item(const File& file, std::string_view text) {
    const bool is_index_page = file.stem == "index" || file.stem == "README";
    const std::string id = is_index_page ? folder_name(file.folder) : file.stem;
    return parser_.item(text, {id, folder_category(file.folder)});
  }

  std::string name_;
  std::filesystem::path root_;  // canonical path of the folder
  Meter meter_;
  std::vector<File> category_lists_, categories_, items_;
  std::unordered_map<std::string, std::string> category_ids_;  // category ids from _category.yaml, by folder
  std::unordered_map<std::string, std::string> paths_;         // file paths, by item id
  MarkdownParser parser_;
  std::string reason_;
};

enum class Format { JsonLines, JsonDocument };

class FileSource final : public ports::ContentSource {
 public:
  FileSource(std::string name, Format format) : name_(std::move(name)), format_(format) {}

  Status open() {
    std::error_code unknown;  // set for standard input and pipes, which have no size
    if (const auto size = std::filesystem::file_size(name_, unknown); !unknown) meter_.expect(size);
    auto stream = KBASE_TRY(ByteStream::open(name_, meter_));
    stream_ = std::move(stream);
    return {};
  }

  std::string_view name() const override { return name_; }
  std::optional<double> progress() const override { return meter_.fraction(); }

  Status read(ports::Call& call, Visitor<ports::ContentRecord> visitor) override {
    KBASE_TRY(format_ == Format::JsonDocument ? read_json_document(*stream_, name_, call, visitor)
                                              : read_json_lines(*stream_, name_, default_kind(), call, visitor));
    return {};
  }

 private:
  RecordKind default_kind() const {
    const std::string file = std::filesystem::path(name_).filename().string();
    return file == "categories.jsonl" || file == "categories.jsonl.gz" ? RecordKind::Category : RecordKind::Item;
  }

  std::string name_;
  Format format_;
  Meter meter_;
  std::unique_ptr<ByteStream> stream_;
};

std::optional<Format> detect_format(std::string_view name) {
  if (name == "-") return Format::JsonLines;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return Format::JsonLines;
  if (name.ends_with(".json")) return Format::JsonDocument;
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<ports::ContentSource>> open_source(std::string name) {
  std::error_code ignored;
  if (name != "-" && std::filesystem::is_directory(name, ignored)) return FolderSource::open(std::move(name));
  const auto format = detect_format(name);
  if (!format && !std::filesystem::exists(name, ignored)) return unreadable(name, "no such file or folder");
  if (!format)
    return unreadable(
        name,
        "is not a supported source; expected a .jsonl, .ndjson or .json file (also with .gz), a folder of "
        "Markdown files, or - for standard input");
  auto source = std::make_unique<FileSource>(std::move(name), *format);
  KBASE_TRY(source->open());
  return {std::move(source)};
}

}  // namespace kbase::content
