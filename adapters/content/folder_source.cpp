// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/folder_source.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <filesystem>
#include <future>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "adapters/content/archive.hpp"
#include "adapters/content/byte_stream.hpp"
#include "adapters/content/converters.hpp"
#include "adapters/content/dates.hpp"
#include "adapters/content/folder_categories.hpp"
#include "adapters/content/folder_files.hpp"
#include "adapters/content/git_days.hpp"
#include "adapters/content/includes.hpp"
#include "adapters/content/page_links.hpp"
#include "adapters/content/page_paths.hpp"
#include "adapters/content/page_reader.hpp"
#include "adapters/content/readable_names.hpp"
#include "adapters/content/record_parser.hpp"
#include "adapters/content/site_members.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::content {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLinksOutside =
    "is a link that is broken or leads out of the source; such links are not followed";

model::Format format_of(std::string_view ending) {
  if (ending == ".html" || ending == ".htm" || ending == ".xhtml") return model::Format::Html;
  return ending == ".txt" ? model::Format::Text : model::Format::Markdown;
}

/// Texts that programs are converting, in the order of the pages. Converting one takes a third of a second, so several
/// run at the same time.
class Conversions {
 public:
  Conversions(const Converters& converters, const ports::Call& call) : converters_(converters), call_(call) {}

  bool is_full() const { return running_.size() >= std::max(2U, std::thread::hardware_concurrency()); }
  void start(std::size_t page, std::string ending, fs::path path, std::string text) {
    running_.emplace_back(page, std::async(std::launch::async, [this, ending, path, text = std::move(text)] {
                            return converters_.convert(ending, path, text, call_);
                          }));
  }
  /// Returns the text of a page that was started.
  Result<Converted> take(std::size_t page) {
    while (running_.front().first != page) running_.pop_front();
    auto converted = running_.front().second.get();
    running_.pop_front();
    return converted;
  }

 private:
  const Converters& converters_;
  const ports::Call& call_;
  std::deque<std::pair<std::size_t, std::future<Result<Converted>>>> running_;
};

/// The members of a _category.yaml.
constexpr std::array<std::string_view, 10> kCategoryMembers = {
    "id", "name", "label", "title", "description", "icon", "subcategories", "position", "weight", "order"};

bool contains(const auto& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

class PageSource final : public ports::ContentSource {
 public:
  PageSource(std::string name, SourceOptions options, const ports::Markup& markup, model::Day today)
      : name_(std::move(name)),
        options_(std::move(options)),
        converters_(options_.converters, options_.runs_programs),
        reader_(markup, today, options_.keeps_drafts) {}

  Status open(const ports::Call& call) {
    meter_.limit_unpacked(options_.max_unpacked_bytes);
    std::error_code failure;
    root_ = fs::canonical(name_, failure);
    if (failure) return unreadable(name_, failure.message());
    owner_ = root_.filename().string();
    if (is_archive_name(owner_)) {
      const fs::path& parent = options_.unpack_folder;
      archive_ =
          KBASE_TRY(UnpackedArchive::unpack(name_, parent.empty() ? fs::temp_directory_path(failure) : parent, call));
      owner_ = archive_stem(owner_);
      root_ = archive_->root();
    }
    const bool is_folder = fs::is_directory(root_, failure);
    std::vector<TreeFile> files;
    if (is_folder) {
      files = KBASE_TRY(list_files(root_, options_.exclude));
    } else {
      files.push_back({owner_, owner_, "", fs::file_size(root_, failure), false});
      root_ = root_.parent_path();
    }
    const std::string root_name = is_folder ? owner_ : std::string(stem_of(owner_));
    root_id_ = options_.prefix.empty() ? is_folder ? root_name : root_.filename().string() : options_.prefix;
    if (!options_.prefix.empty()) prefix_ = options_.prefix + '/';
    files_ = sort_files(root_, std::move(files), root_name, options_, converters_);
    for (const PagePath& page : files_.pages) meter_.expect(page.file.bytes);
    for (const TreeFile& file : files_.records) meter_.expect(file.bytes);
    return {};
  }

  std::string_view name() const override { return name_; }
  std::string_view owner() const override { return owner_; }
  std::string_view expected_content() const override {
    return "pages (.md, .mdx, .html, .txt; .rst, .adoc, .org, .docx and others with pandoc or asciidoctor) whose names "
           "and folders do not begin with '.' or '_'";
  }
  std::optional<double> progress() const override { return meter_.fraction(); }
  ports::SourceNotes notes() const override { return files_.notes; }
  std::vector<ports::PageIds> page_ids() const override {
    std::vector<ports::PageIds> ids;
    for (const PagePath& page : files_.pages)
      if (page.by_path != page.by_name) ids.push_back({prefixed(page.by_path), prefixed(page.by_name)});
    return ids;
  }
  void use_names_as_ids() override { uses_names_ = true; }

  Status read(ports::Call& call, Visitor<ports::ContentRecord> visitor) override {
    FolderCategories categories(root_id_, prefix_);
    auto outcome = read_categories(categories, visitor);
    for (std::size_t i = 0; outcome && *outcome == Visit::Continue && i < files_.records.size(); ++i)
      outcome = read_records(files_.records[i], call, visitor);
    if (outcome && *outcome == Visit::Continue) outcome = read_pages(categories, call, visitor);
    return outcome ? Status() : Status(outcome.error());
  }

 private:
  /// The path of a file as the user would type it.
  std::string path_of(const TreeFile& file) const {
    const bool is_one_page = files_.pages.size() == 1 && file_path(file) == fs::path(name_);
    return is_one_page ? name_ : (fs::path(name_) / file.path).string();
  }
  fs::path file_path(const TreeFile& file) const { return root_ / file.path; }
  std::string prefixed(const std::string& id) const { return prefix_.empty() || id == root_id_ ? id : prefix_ + id; }
  const std::string& own_id(const PagePath& page) const { return uses_names_ ? page.by_name : page.by_path; }

  Result<std::string> read_file(const TreeFile& file) {
    const std::string path = file_path(file).string();
    const auto stream = KBASE_TRY(ByteStream::open(path, meter_));
    auto text = read_all(*stream, path, kMaxRecordBytes);
    return text;
  }
  /// The message of an error that concerns the file, without its name.
  static std::string reason_of(const Error& error, const std::string& path) {
    const std::string before = path + ": ";
    return error.message.starts_with(before) ? error.message.substr(before.size()) : error.message;
  }

  Result<Visit> read_categories(FolderCategories& categories, Visitor<ports::ContentRecord> visitor) {
    for (const TreeFile& file : files_.descriptions) {
      const auto visited = KBASE_TRY(describe(file, categories, visitor));
      if (visited == Visit::Stop) return Visit::Stop;
    }
    categories.describe(files_.layout);
    for (const PagePath& page : files_.pages) {
      categories.add(page.folder);
      if (model::is_index_page(model::path_name(page.path))) describe_by_index(page, categories);
    }
    return categories.visit([&](const ports::CategoryRecord& category, model::TextList ignored) -> Result<Visit> {
      return visitor({{name_, 0}, category, {ignored, {}}});
    });
  }

  Result<Visit> describe(const TreeFile& file, FolderCategories& categories, Visitor<ports::ContentRecord> visitor) {
    const std::string path = path_of(file);
    const auto reject = [&](std::uint64_t line, std::string_view reason) {
      return visitor({{path, line}, ports::Reject{reason}});
    };
    if (file.links_outside) return reject(0, kLinksOutside);
    const auto text = read_file(file);
    if (!text) return reject(0, reason_of(text.error(), file_path(file).string()));
    if (const auto line = invalid_line(*text)) return reject(*line, "is not valid UTF-8");
    const auto parsed = ending_of(file.name) == ".json" ? parse_json(*text) : parse_yaml(*text);
    if (const auto* defect = std::get_if<ValueDefect>(&parsed)) return reject(defect->line, defect->reason);
    const Value& map = std::get<Value>(parsed);
    if (map.kind != Value::Kind::Map && map.kind != Value::Kind::Null)
      return reject(1, "expected members as KEY: VALUE");
    FolderCategories::Description description;
    const auto take = [&map](std::string& member, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names)
        if (const Value* const value = map.find(name); value != nullptr && value->is_scalar() && member.empty())
          member = value->text;
    };
    take(description.id, {"id"});
    take(description.name, {"name", "label", "title"});
    take(description.description, {"description"});
    take(description.icon, {"icon"});
    if (const Value* const list = map.find("subcategories"))
      for (const Value& entry : list->entries) description.subcategories.push_back(entry.text);
    for (const std::string_view name : {"position", "weight", "order"})
      if (const Value* const value = map.find(name); value != nullptr && value->kind == Value::Kind::Literal)
        description.order = std::strtod(value->text.c_str(), nullptr);
    if (stem_of(file.name) == "_category")  // other generators have members of their own
      for (const auto& [name, value] : map.members)
        if (!contains(kCategoryMembers, name) && !contains(description.ignored, name))
          description.ignored.push_back(name);
    categories.describe(file.folder, description);
    categories.add(file.folder);
    return Visit::Continue;
  }

  /// The front matter of the page that stands for a folder names the folder. A page that cannot be read is reported
  /// when it is read as a page.
  void describe_by_index(const PagePath& page, FolderCategories& categories) {
    if (page.file.links_outside || format_of(page.ending) != model::Format::Markdown || converters_.knows(page.ending))
      return;
    Meter unused;
    const auto stream = ByteStream::open(file_path(page.file).string(), unused);
    const auto text = stream ? read_all(**stream, page.path, kMaxRecordBytes) : Result<std::string>(stream.error());
    if (!text || invalid_line(*text)) return;
    const auto split = split_page(*text);
    const Page* const parts = std::get_if<Page>(&split);
    if (parts == nullptr || !parts->front_matter) return;
    const PageMembers members = read_members(*parts->front_matter);
    FolderCategories::Description description;
    description.name = members.title;
    description.description = members.summary;
    description.order = members.order;
    categories.describe(page.folder, description);
  }

  Result<Visit> read_records(const TreeFile& file, const ports::Call& call, Visitor<ports::ContentRecord> visitor) {
    const std::string path = path_of(file);
    if (file.links_outside) return visitor({{path, 0}, ports::Reject{kLinksOutside}});
    const auto stream = KBASE_TRY(ByteStream::open(file_path(file).string(), meter_));
    const bool is_of_categories = stem_of(file.name) == "categories";
    return read_json_lines(*stream, path, is_of_categories ? RecordKind::Category : RecordKind::Item, {}, call,
                           visitor);
  }

  Result<Visit> read_pages(const FolderCategories& categories, const ports::Call& call,
                           Visitor<ports::ContentRecord> visitor) {
    PageLinks links;
    for (const PagePath& page : files_.pages) links.add(page.path, prefixed(own_id(page)));
    Includes includes(root_, include_folders());
    GitDays days(root_);
    Conversions conversions(converters_, call);
    std::size_t started = 0;
    for (std::size_t i = 0; i < files_.pages.size(); ++i) {
      if (call.cancelled()) return reading_cancelled(path_of(files_.pages[i].file));
      for (; started < files_.pages.size() && !conversions.is_full(); ++started)
        if (is_converted(files_.pages[started])) start(started, includes, conversions);
      auto outcome = read_page(i, {categories, links, includes, days, conversions}, call, visitor);
      if (!outcome || *outcome == Visit::Stop) return outcome;
    }
    return Visit::Continue;
  }

  struct Parts {
    const FolderCategories& categories;
    const PageLinks& links;
    Includes& includes;
    GitDays& days;
    Conversions& conversions;
  };

  std::vector<std::string> include_folders() const {
    std::vector<std::string> folders = {"_includes", "includes", "snippets"};
    for (const std::string& root : files_.layout.roots) {
      folders.push_back(root);
      folders.push_back(root + "/_includes");
      folders.push_back(root + "/en");  // the default language of a site in several
    }
    return folders;
  }

  bool is_converted(const PagePath& page) const { return converters_.knows(page.ending) && !page.file.links_outside; }

  /// A page that cannot be read is reported when its turn comes.
  void start(std::size_t number, Includes& includes, Conversions& conversions) {
    const PagePath& page = files_.pages[number];
    auto text = read_file(page.file);
    if (!text) return;
    const bool is_rst = page.ending == ".rst" || page.ending == ".rest";
    conversions.start(
        number, page.ending, file_path(page.file),
        is_rst && utf8::is_valid(*text) ? std::string(includes.resolve_rst(*text, page.file.folder)) : *text);
    converted_.insert(number);
  }

  Result<Visit> read_page(std::size_t number, const Parts& parts, const ports::Call& call,
                          Visitor<ports::ContentRecord> visitor) {
    const PagePath& page = files_.pages[number];
    const std::string path = path_of(page.file);
    const auto reject = [&](std::uint64_t line, std::string_view reason) {
      return visitor({{path, line}, ports::Reject{reason}});
    };
    if (page.file.links_outside) return reject(0, kLinksOutside);
    const PathFacts facts = facts_of(page.path);
    PageFile file{prefixed(own_id(page)),
                  parts.categories.id_of(page.folder),
                  name_of(page),
                  format_of(page.ending),
                  facts.language,
                  facts.version,
                  date_in_name(page.file.name),
                  {},
                  files_.layout.generator == "Logseq",
                  files_.layout.local_ids && !uses_names_};
    std::string text;
    if (converted_.contains(number)) {
      auto converted = parts.conversions.take(number);
      if (!converted && converted.error().code == ErrorCode::Cancelled) return converted.error();
      if (!converted) return reject(0, converted.error().message);
      text = std::move(converted->text);
      file.format = converted->format;
    } else {
      auto read = read_file(page.file);
      if (!read) return reject(0, reason_of(read.error(), file_path(page.file).string()));
      text = *std::move(read);
    }
    file.day = day_of(page.file, parts.days, call);
    const auto outcome = reader_.read(text, file, [&](std::string_view body) {
      return file.format == model::Format::Markdown ? parts.includes.resolve(body, page.file.folder) : body;
    });
    if (const auto* defect = std::get_if<PageReader::Defect>(&outcome)) return reject(defect->line, defect->reason);
    if (std::holds_alternative<PageReader::LeftOut>(outcome)) {
      files_.notes.leave_out(path);
      return Visit::Continue;
    }
    return pass(std::get<ports::ItemRecord>(outcome), page, path, parts.links, visitor);
  }

  Result<Visit> pass(ports::ItemRecord item, const PagePath& page, const std::string& path, const PageLinks& links,
                     Visitor<ports::ContentRecord> visitor) {
    const auto [known, is_new] = paths_.emplace(item.id, path);
    if (!is_new) {
      std::string reason = "has the same id \"" + known->first + "\" as " + known->second;
      if (uses_names_ && page.by_name == item.id) reason += "; without --ids name the path of a page is its id";
      return visitor({{path, 0}, ports::Reject{reason}});
    }
    std::vector<std::string> linked;
    for (const std::string_view name : item.related) linked.push_back(links.meant(name, page.path));
    if (linked.empty()) linked = links.linked(item.content, page.path, item.id);
    const std::vector<std::string_view> related(linked.begin(), linked.end());
    item.related = related;
    const std::string extra = add_site_members(files_.layout, page.file, page.path, item.metadata.extra);
    item.metadata.extra = extra;
    std::vector<ports::IgnoredValue> ignored;
    for (const auto& warning : reader_.warnings()) ignored.push_back({warning.line, warning.reason});
    return visitor({{path, 0}, item, {{}, reader_.unknown()}, ignored});
  }

  /// The name in the navigation, else one made from that of the file.
  std::string name_of(const PagePath& page) const {
    if (const auto named = files_.layout.names.find(page.path); named != files_.layout.names.end())
      return named->second;
    const std::string key = model::page_key(page.path);
    if (files_.layout.generator == "Logseq") return logseq_name(model::path_name(page.path));
    return readable_name(key.empty() ? owner_ : model::path_name(key));
  }

  std::optional<model::Day> day_of(const TreeFile& file, GitDays& days, const ports::Call& call) const {
    if (options_.runs_programs)
      if (const auto day = days.last_commit(file.path, call)) return day;
    std::error_code failed;
    const auto time = fs::last_write_time(root_ / file.path, failed);
    if (failed) return std::nullopt;
    return std::chrono::floor<std::chrono::days>(std::chrono::file_clock::to_sys(time));
  }

  const std::string name_;
  const SourceOptions options_;
  Converters converters_;
  PageReader reader_;
  std::unique_ptr<UnpackedArchive> archive_;  // set if the source is one
  fs::path root_;                             // canonical path of the folder
  std::string owner_, root_id_, prefix_;
  FolderFiles files_;
  Meter meter_;
  bool uses_names_ = false;
  std::set<std::size_t> converted_;                     // pages whose conversion was started
  std::unordered_map<std::string, std::string> paths_;  // shown paths, by item id
};

}  // namespace

Result<std::unique_ptr<ports::ContentSource>> open_pages(std::string name, const SourceOptions& options,
                                                         const ports::Markup& markup, model::Day today,
                                                         const ports::Call& call) {
  auto source = std::make_unique<PageSource>(std::move(name), options, markup, today);
  KBASE_TRY(source->open(call));
  return {std::move(source)};
}

}  // namespace kbase::content
