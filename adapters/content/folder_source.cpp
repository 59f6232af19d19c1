// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/folder_source.hpp"

#include <algorithm>
#include <system_error>

#include "adapters/content/json_lines.hpp"
#include "adapters/content/line_reader.hpp"

namespace kbase::content {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCategoryFile = "_category.yaml";
constexpr std::string_view kCategoryList = "categories.jsonl";
constexpr std::string_view kMarkdown = ".md";
constexpr std::string_view kLeadsOut = "is a link to nothing or out of the source, which is not followed";

std::string_view without(std::string_view name, std::string_view ending) {
  if (name.ends_with(ending)) name.remove_suffix(ending.size());
  return name;
}

template <class Files>
void sort_by_path(Files& files) {
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
}

}  // namespace

model::Result<std::unique_ptr<ports::ContentSource>> FolderSource::open(std::string name) {
  std::unique_ptr<FolderSource> source(new FolderSource(std::move(name)));
  std::error_code failure;
  source->root_ = fs::canonical(source->name_, failure);
  if (failure) return unreadable(source->name_, failure.message());
  if (auto listed = source->list(source->name_, ""); !listed) return listed.error();
  sort_by_path(source->category_lists_);
  sort_by_path(source->categories_);
  sort_by_path(source->items_);
  return {std::move(source)};
}

std::string_view FolderSource::wanted() const {
  return "files *.md, _category.yaml and categories.jsonl, also with .gz, whose names and folders do not begin with "
         "'.'";
}

model::Status FolderSource::list(const fs::path& folder, const std::string& below) {
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

void FolderSource::add(const fs::directory_entry& entry, const std::string& folder) {
  const std::string file_name = entry.path().filename().string();
  const std::string_view unpacked = without(file_name, ".gz");
  const bool is_item = unpacked.ends_with(kMarkdown);
  if (!is_item && unpacked != kCategoryFile && unpacked != kCategoryList) return;
  auto& files = is_item ? items_ : unpacked == kCategoryFile ? categories_ : category_lists_;
  const bool out = leads_out(entry);
  files.push_back({entry.path().string(), folder, std::string(without(unpacked, kMarkdown)), out});
  std::error_code ignored;
  if (const auto size = entry.file_size(ignored); !ignored && !out) meter_.expect(size);
}

bool FolderSource::leads_out(const fs::directory_entry& entry) const {
  std::error_code failure;
  if (!entry.is_symlink(failure)) return false;
  const fs::path target = fs::canonical(entry.path(), failure);
  if (failure) return true;
  return std::mismatch(root_.begin(), root_.end(), target.begin(), target.end()).first != root_.end();
}

std::string FolderSource::name_of(const std::string& folder) const {
  return folder.empty() ? root_.filename().string() : fs::path(folder).filename().string();
}

std::string FolderSource::category_of(const std::string& folder) const {
  const auto named = category_ids_.find(folder);
  if (named != category_ids_.end()) return named->second;
  return folder.empty() ? name_of(folder) : folder;
}

model::Status FolderSource::read(ports::Call& call, model::Visitor<ports::ContentRecord> visitor) {
  const auto read_each = [&](const std::vector<File>& files, auto read_one) -> model::Result<model::Visit> {
    for (const File& file : files) {
      if (call.cancelled()) return reading_cancelled(file.path);
      auto outcome =
          file.leads_out ? model::Result(visitor({{file.path, 0}, ports::Reject{kLeadsOut, {}}})) : read_one(file);
      if (!outcome || *outcome == model::Visit::Stop) return outcome;
    }
    return model::Visit::Continue;
  };
  auto outcome = read_each(category_lists_, [&](const File& file) { return read_category_list(file, call, visitor); });
  if (outcome && *outcome == model::Visit::Continue)
    outcome = read_each(categories_, [&](const File& file) { return read_category(file, visitor); });
  if (outcome && *outcome == model::Visit::Continue)
    outcome = read_each(items_, [&](const File& file) { return read_item(file, visitor); });
  if (!outcome) return outcome.error();
  return {};
}

model::Result<model::Visit> FolderSource::read_category_list(const File& file, const ports::Call& call,
                                                             model::Visitor<ports::ContentRecord> visitor) {
  const auto stream = ByteStream::open(file.path, meter_);
  if (!stream) return stream.error();
  return read_json_lines(**stream, file.path, RecordKind::Category, call, visitor);
}

model::Result<model::Visit> FolderSource::read_category(const File& file,
                                                        model::Visitor<ports::ContentRecord> visitor) {
  const auto text = read_file(file.path);
  if (!text) return text.error();
  const Record record = parser_.category(*text, category_of(file.folder));
  if (const auto* category = std::get_if<ports::CategoryRecord>(&record)) category_ids_[file.folder] = category->id;
  return visitor({{file.path, parser_.defect_line()}, record, parser_.unknown()});
}

model::Result<model::Visit> FolderSource::read_item(const File& file, model::Visitor<ports::ContentRecord> visitor) {
  const auto text = read_file(file.path);
  if (!text) return text.error();
  Record record = item_of(file, *text);
  if (const auto* item = std::get_if<ports::ItemRecord>(&record)) {
    const auto [known, is_new] = paths_.emplace(item->id, file.path);
    if (!is_new) {
      reason_ = "has the id \"" + known->first + "\" of " + known->second + " too";
      record = ports::Reject{reason_, {}};
    }
  }
  return visitor({{file.path, parser_.defect_line()}, record, parser_.unknown()});
}

Record FolderSource::item_of(const File& file, std::string_view text) {
  const bool takes_folder = file.stem == "index" || file.stem == "README";
  const std::string id = takes_folder ? name_of(file.folder) : file.stem;
  return parser_.item(text, {id, category_of(file.folder)});
}

model::Result<std::string> FolderSource::read_file(const std::string& path) {
  const auto stream = ByteStream::open(path, meter_);
  if (!stream) return stream.error();
  return read_all(**stream, path, kMaxRecordBytes);
}

}  // namespace kbase::content
