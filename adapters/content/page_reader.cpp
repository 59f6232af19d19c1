// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/page_reader.hpp"

#include <algorithm>
#include <utility>

#include "adapters/content/dates.hpp"
#include "domain/base/text.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::content {
namespace {

constexpr std::size_t kMaxTitleCodePoints = 300;

bool is_absolute(std::string_view address) { return address.starts_with("http://") || address.starts_with("https://"); }

/// A longer one is a paragraph that stands where a title should.
std::string bounded(std::string title) {
  const std::string_view start = utf8::prefix(title, kMaxTitleCodePoints);
  if (start.size() == title.size()) return title;
  return std::string(start) + "…";
}

}  // namespace

std::optional<std::uint64_t> invalid_line(std::string_view text) {
  if (utf8::is_valid(text)) return std::nullopt;
  std::size_t valid = 0;
  while (const std::size_t length = utf8::sequence_length(text.substr(valid))) valid += length;
  return 1 +
         static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(valid), '\n'));
}

PageReader::Outcome PageReader::read(std::string_view text, const PageFile& file,
                                     FunctionRef<std::string_view(std::string_view)> resolve) {
  members_ = {};
  unknown_.clear();
  is_empty_ = false;
  if (const auto line = invalid_line(text)) return Defect{*line, "is not valid UTF-8"};
  // A NUL is no text; an editor or a damaged disk has left it.
  if (text.find('\0') != std::string_view::npos) {
    cleaned_.clear();
    std::remove_copy(text.begin(), text.end(), std::back_inserter(cleaned_), '\0');
    text = cleaned_;
    Outcome outcome = read_page(text, file, resolve);
    members_.warnings.push_back({0, "NUL characters were removed"});
    return outcome;
  }
  return read_page(text, file, resolve);
}

PageReader::Outcome PageReader::read_page(std::string_view text, const PageFile& file,
                                          FunctionRef<std::string_view(std::string_view)> resolve) {
  auto split =
      file.format == model::Format::Text ? std::variant<Page, ValueDefect>(Page{std::nullopt, text}) : split_page(text);
  if (auto* defect = std::get_if<ValueDefect>(&split)) return Defect{defect->line, std::move(defect->reason)};
  Page& page = std::get<Page>(split);
  if (page.front_matter) members_ = read_members(*page.front_matter);
  if (file.format == model::Format::Html) take_head(page.body);
  unknown_.assign(members_.unknown.begin(), members_.unknown.end());
  if (is_left_out()) return LeftOut{};
  const std::string_view body = resolve(page.body);
  const bool has_members =
      !members_.title.empty() || !members_.summary.empty() || (file.has_name_as_title && page.front_matter);
  if (utf8::trimmed(body).empty() && !has_members) return LeftOut{};

  set_title(file, body);
  if (is_empty_ && !has_members) return LeftOut{};
  id_ = members_.id.empty() ? file.id : members_.id;
  if (file.has_local_id && !members_.id.empty()) {
    const std::string_view folder = model::path_folder(file.id);
    id_ = folder.empty() ? members_.id : std::string(folder) + '/' + members_.id;
  }
  set_address(file);
  for (const auto& [list, views] :
       {std::pair{&members_.tags, &tags_}, {&members_.aliases, &aliases_}, {&members_.related, &related_}})
    views->assign(list->begin(), list->end());

  ports::ItemRecord item;
  item.id = id_;
  item.title = title_;
  item.category = members_.category.empty() ? file.category : members_.category;
  for (const std::string_view id : {item.id, item.category})
    if (const std::string_view defect = model::id_defect(id); !defect.empty()) return Defect{0, std::string(defect)};
  item.content = body;
  item.format = model::name_of(file.format);
  item.tags = tags_;
  item.aliases = aliases_;
  item.related = related_;
  members_.summary = markup_.line(members_.summary);
  item.summary = members_.summary;
  item.url = url_;
  item.language = members_.language.empty() ? file.language : members_.language;
  item.version = members_.version.empty() ? file.version : members_.version;
  item.metadata.author = members_.author;
  item.metadata.views = members_.views.value_or(0);
  item.metadata.extra = members_.extra;
  set_dates(file, item);
  return item;
}

bool PageReader::is_left_out() const {
  const bool is_expired = members_.expires && *members_.expires < today_;
  return members_.is_hidden || (!keeps_drafts_ && (members_.is_draft || is_expired));
}

void PageReader::set_title(const PageFile& file, std::string_view body) {
  title_ = markup_.line(members_.title);
  if (title_.empty() && !file.has_name_as_title) {
    model::Document document = markup_.document(body, file.format);
    is_empty_ = utf8::trimmed(document.text).empty();
    title_ = std::move(document.heading);
  }
  if (title_.empty()) title_ = file.name;
  title_ = bounded(std::move(title_));
}

/// The address is absolute, or a path that the address of the site precedes. A pattern (`/:year/:title/`) is neither.
void PageReader::set_address(const PageFile& file) {
  std::string address = members_.permalink;
  if (address.empty() && !members_.slug.empty()) {
    const std::string_view folder = model::path_folder(file.id);
    const bool is_path = members_.slug.starts_with('/');
    address = is_path ? members_.slug : (folder.empty() ? "/" : "/" + std::string(folder) + '/') + members_.slug;
  } else if (!address.empty() && !is_absolute(address) && !address.starts_with('/')) {
    address.insert(0, "/");
  }
  const bool is_pattern = !is_absolute(address) && address.find_first_of(":{") != std::string::npos;
  url_ = model::is_page_address(address) && !is_pattern ? address : std::string();
}

/// What the head of a page says, where no front matter does.
void PageReader::take_head(std::string_view html) {
  const model::PageHead head = markup_.head(html);
  const auto take = [](std::string& member, const std::string& value) {
    if (member.empty()) member = value;
  };
  take(members_.summary, head.description);
  take(members_.author, head.author);
  take(members_.permalink, head.canonical);
  if (model::is_language(head.language)) take(members_.language, head.language);
  if (!members_.created) members_.created = parse_any_date(head.published);
  if (!members_.updated) members_.updated = parse_any_date(head.modified);
  if (members_.tags.empty()) members_.tags = head.keywords;
  if (head.is_hidden) members_.is_hidden = true;
}

void PageReader::set_dates(const PageFile& file, ports::ItemRecord& item) const {
  item.created = members_.created ? members_.created : file.named;
  item.updated = members_.updated;
  // A date of the author says more than that of the file.
  if (!item.created && !item.updated) item.created = item.updated = file.day;
  if (!item.updated && item.created) item.updated = item.created;
}

}  // namespace kbase::content
