// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/markdown.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "adapters/base/json.hpp"
#include "adapters/content/record_draft.hpp"
#include "adapters/content/record_parser.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

// Limits for the JSON made of a YAML text: aliases can expand a small text to a very large one.
constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 20;
constexpr int kMaxDepth = 64;

constexpr std::array kItemMembers = {Member::Id, Member::Title, Member::Category, Member::Tags, Member::Related};
constexpr std::array kCategoryMembers = {Member::Id, Member::Name, Member::Description, Member::Icon,
                                         Member::Subcategories};

/// The members that a record of one kind may have.
struct KnownMembers {
  std::span<const Member> record_members;
  bool has_metadata;
};
constexpr KnownMembers kItemSchema{kItemMembers, true};
constexpr KnownMembers kCategorySchema{kCategoryMembers, false};

using MaybeDefect = std::optional<YamlDefect>;

std::uint64_t line_of(const YAML::Mark& mark) { return static_cast<std::uint64_t>(std::max(mark.line, 0)) + 1; }

YamlDefect at_line(const YAML::Mark& mark, std::string reason) { return {line_of(mark), std::move(reason)}; }

enum class Scalars { AsText, AsJson };

class JsonWriter {
 public:
  MaybeDefect append_node(std::string& json, const YAML::Node& node, Scalars scalars, int depth = 0) {
    if (depth > kMaxDepth || json.size() > kMaxJsonBytes)
      return at_line(node.Mark(), "is nested too deeply or too large");
    switch (node.Type()) {
      case YAML::NodeType::Sequence: return append_list(json, node, scalars, depth);
      case YAML::NodeType::Map: return append_map(json, node, scalars, depth);
      case YAML::NodeType::Scalar: append_scalar(json, node, scalars); return std::nullopt;
      default: json += "null"; return std::nullopt;
    }
  }

 private:
  MaybeDefect append_list(std::string& json, const YAML::Node& list, Scalars scalars, int depth) {
    char before = '[';
    for (const auto& entry : list) {
      json += before;
      before = ',';
      if (auto defect = append_node(json, entry, scalars, depth + 1)) return defect;
    }
    json += before == '[' ? "[]" : "]";
    return std::nullopt;
  }

  MaybeDefect append_map(std::string& json, const YAML::Node& map, Scalars scalars, int depth) {
    char before = '{';
    for (const auto& member : map) {
      if (!member.first.IsScalar()) return at_line(map.Mark(), "a key must be text");
      json += before;
      before = ',';
      json::append_string(json, member.first.Scalar());
      json += ':';
      if (auto defect = append_node(json, member.second, scalars, depth + 1)) return defect;
    }
    json += before == '{' ? "{}" : "}";
    return std::nullopt;
  }

  static void append_scalar(std::string& json, const YAML::Node& node, Scalars scalars) {
    const std::string& text = node.Scalar();
    const bool plain = node.Tag() == "?";  // yaml-cpp's tag for a scalar without quotes and without a tag
    if (plain && scalars == Scalars::AsJson && (is_json_number(text) || text == "true" || text == "false"))
      json += text;
    else
      json::append_string(json, text);
  }
};

void append_member(std::string& json, std::string_view name, std::string_view value) {
  if (json.size() > 1) json += ',';
  json::append_string(json, name);
  json.append(":").append(value);
}

std::string to_json_string(std::string_view text) {
  std::string json;
  json::append_string(json, text);
  return json;
}

Scalars scalar_form(std::optional<Member> member) {
  return member && shape_of(*member) != Shape::Count ? Scalars::AsText : Scalars::AsJson;
}

/// The members of a front matter, split into members of the record and all others.
struct Members {
  std::string record = "{";
  std::string others = "{";
  std::vector<RecordJson::MemberLine> lines;
  std::vector<std::string> unknown;

  void add_default(std::string_view name, std::string_view text) {
    const auto has_name = [&](const RecordJson::MemberLine& member) { return member.name == name; };
    if (std::none_of(lines.begin(), lines.end(), has_name)) append_member(record, name, to_json_string(text));
  }
  RecordJson to_record() && { return {std::move(record) + "}", std::move(lines), std::move(unknown)}; }
};

MaybeDefect sort_members(const YAML::Node& yaml, const KnownMembers& known, Members& members) {
  for (const auto& entry : yaml) {
    if (!entry.first.IsScalar()) return at_line(yaml.Mark(), "a key must be text");
    if (entry.second.IsNull()) continue;
    const std::string& name = entry.first.Scalar();
    auto member = record_member(name);
    const auto& own_members = known.record_members;
    const bool own = member && std::find(own_members.begin(), own_members.end(), *member) != own_members.end();
    if (!own) member = metadata_member(name);
    const bool is_known = own || (known.has_metadata && member);
    std::string value;
    if (auto defect = JsonWriter().append_node(value, entry.second, scalar_form(member))) return defect;
    append_member(own ? members.record : members.others, name, value);
    members.lines.push_back({name, line_of(entry.first.Mark())});
    const bool is_new = std::find(members.unknown.begin(), members.unknown.end(), name) == members.unknown.end();
    if (!is_known && is_new && members.unknown.size() < kMaxUnknownMembers) members.unknown.push_back(name);
  }
  return std::nullopt;
}

std::variant<Members, YamlDefect> parse_yaml(std::string_view text, const KnownMembers& known) {
  try {
    const YAML::Node yaml = YAML::Load(std::string(text));
    Members members;
    if (yaml.IsNull()) return members;
    if (!yaml.IsMap()) return at_line(yaml.Mark(), "expected members as KEY: VALUE");
    if (auto defect = sort_members(yaml, known, members)) return *defect;
    return members;
  } catch (const YAML::Exception& error) {
    return at_line(error.mark, "not YAML: " + error.msg);
  }
}

/// Returns the first line of `text` with its line end; empty if `text` is empty.
std::string_view first_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? text : text.substr(0, end + 1);
}

bool is_delimiter(std::string_view line, std::string_view delimiter) {
  while (!line.empty() && is_json_space(line.back())) line.remove_suffix(1);
  return line == delimiter;
}

constexpr std::string_view kBlank = " \t\r";

std::string_view trim(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlank) + 1 - begin);
}

bool opens_fence(std::string_view line) { return line.starts_with("```") || line.starts_with("~~~"); }

/// Returns "Title" for "# Title ##": the closing '#' characters are markup.
std::string_view heading_text(std::string_view line) {
  line = trim(line.substr(1));
  const std::size_t last = line.find_last_not_of('#');
  if (last == std::string_view::npos) return {};
  if (last + 1 < line.size() && kBlank.find(line[last]) != std::string_view::npos) line = trim(line.substr(0, last));
  return line;
}

std::uint64_t line_of(std::string_view text, std::string_view part) {
  return 1 + static_cast<std::uint64_t>(std::count(text.data(), part.data(), '\n'));
}

/// The two parts of a Markdown file, as views of its text.
struct MarkdownParts {
  std::string_view front_matter;  ///< text between the "---" lines; empty: the file has none
  std::string_view body;          ///< unchanged text after the front matter
};

/// InvalidArgument: the front matter has no end line.
Result<MarkdownParts> split_front_matter(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string_view line = first_line(text);
  if (!is_delimiter(line, "---")) return MarkdownParts{{}, text};
  const std::string_view inside = text.substr(line.size());
  for (std::string_view rest = inside; !rest.empty(); rest.remove_prefix(line.size())) {
    line = first_line(rest);
    if (is_delimiter(line, "---") || is_delimiter(line, "..."))
      return MarkdownParts{inside.substr(0, inside.size() - rest.size()), rest.substr(line.size())};
  }
  return Error{ErrorCode::InvalidArgument, "the front matter has no closing line '---'"};
}

/// Values for members that the front matter does not set, derived from the path of the file.
struct FrontMatterDefaults {
  std::string_view id, title, category;
};

/// Returns an item without content whose front matter is `yaml`.
JsonOrDefect convert_item(std::string_view yaml, const FrontMatterDefaults& defaults) {
  auto outcome = parse_yaml(yaml, kItemSchema);
  if (const auto* defect = std::get_if<YamlDefect>(&outcome)) return *defect;
  auto* members = std::get_if<Members>(&outcome);
  members->add_default("id", defaults.id);
  members->add_default("title", defaults.title);
  members->add_default("category", defaults.category);
  append_member(members->record, "metadata", members->others + "}");
  return std::move(*members).to_record();
}

/// Returns a category read from a _category.yaml. Unknown members are ignored.
JsonOrDefect convert_category(std::string_view yaml, std::string_view default_id) {
  auto outcome = parse_yaml(yaml, kCategorySchema);
  if (const auto* defect = std::get_if<YamlDefect>(&outcome)) return *defect;
  auto* members = std::get_if<Members>(&outcome);
  members->add_default("id", default_id);
  return std::move(*members).to_record();
}

}  // namespace

std::optional<std::uint64_t> RecordJson::line_of(std::string_view name) const {
  const auto last =
      std::find_if(members.rbegin(), members.rend(), [&](const MemberLine& member) { return member.name == name; });
  return last == members.rend() ? std::nullopt : std::optional(last->line);
}

std::vector<std::string_view> front_matter_names() {
  std::vector<std::string_view> names = member_names(RecordKind::Item);
  std::erase_if(names, [](std::string_view name) {
    const auto member = record_member(name);
    return member && std::find(kItemMembers.begin(), kItemMembers.end(), *member) == kItemMembers.end();
  });
  return names;
}

std::string_view first_heading(std::string_view markdown) {
  std::string_view fence;  // characters that end the current code block; empty: outside a code block
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size() - 1);
    const std::string_view line = trim(markdown.substr(0, end + 1 - (markdown[end] == '\n' ? 1 : 0)));
    markdown.remove_prefix(end + 1);
    if (!fence.empty())
      fence = line.starts_with(fence) ? std::string_view() : fence;
    else if (opens_fence(line))
      fence = line.substr(0, 3);
    else if (line.starts_with("# ") || line.starts_with("#\t"))
      return heading_text(line);
  }
  return {};
}

bool MarkdownParser::is_utf8(std::string_view text) {
  if (utf8::is_valid(text)) return true;
  std::size_t valid = 0;
  while (const std::size_t length = utf8::sequence_length(text.substr(valid))) valid += length;
  reject("is not valid UTF-8", line_of(text, text.substr(valid)));
  return false;
}

Record MarkdownParser::item(std::string_view text, const FileDefaults& defaults) {
  unknown_ = {};
  if (!utf8::is_valid(defaults.id) || !utf8::is_valid(defaults.category))
    return reject("its path is not valid UTF-8", 0);
  if (!is_utf8(text)) return reject(reason_, defect_line_);
  const auto parts = split_front_matter(text);
  if (!parts) return reject(parts.error().message, 1);
  const std::string_view heading = first_heading(parts->body);
  const FrontMatterDefaults members{defaults.id, heading.empty() ? defaults.id : heading, defaults.category};
  Record record = parse(items_, convert_item(parts->front_matter, members), 2);
  unknown_.stored = unknown_names_;
  if (auto* item = std::get_if<ports::ItemRecord>(&record)) item->content = parts->body;
  return record;
}

Record MarkdownParser::category(std::string_view yaml, std::string_view default_id) {
  unknown_ = {};
  if (!is_utf8(yaml)) return reject(reason_, defect_line_);
  const Record record = parse(categories_, convert_category(yaml, default_id), 1);
  unknown_.ignored = unknown_names_;
  return record;
}

Record MarkdownParser::parse(RecordParser& parser, JsonOrDefect json, std::uint64_t first_line) {
  unknown_names_.clear();
  if (const auto* defect = std::get_if<YamlDefect>(&json)) return reject(defect->reason, defect->line + first_line - 1);
  json_ = std::get<RecordJson>(std::move(json));
  unknown_names_.assign(json_.unknown.begin(), json_.unknown.end());
  defect_line_ = 0;
  const Record record = parser.parse(json_.text);
  const auto* bad = std::get_if<ports::Reject>(&record);
  if (bad == nullptr) return record;
  const auto line = json_.line_of(parser.defect_member());
  return reject(bad->reason, line ? *line + first_line - 1 : 1);
}

Record MarkdownParser::reject(std::string_view reason, std::uint64_t line) {
  reason_ = std::string(reason);
  defect_line_ = line;
  return ports::Reject{reason_, {}};
}

}  // namespace kbase::content
