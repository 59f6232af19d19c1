// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/front_matter.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "adapters/content/json_text.hpp"
#include "adapters/content/record_draft.hpp"

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
  std::span<const Member> of_record;
  bool has_metadata;
};
constexpr KnownMembers kOfItem{kItemMembers, true};
constexpr KnownMembers kOfCategory{kCategoryMembers, false};

using MaybeDefect = std::optional<YamlDefect>;

std::uint64_t line_of(const YAML::Mark& mark) {
  return static_cast<std::uint64_t>(std::max(mark.line, 0)) + 1;
}

YamlDefect at_line(const YAML::Mark& mark, std::string reason) {
  return {line_of(mark), std::move(reason)};
}

enum class Scalars { AsText, AsJson };

class JsonWriter {
 public:
  MaybeDefect put(std::string& json, const YAML::Node& node, Scalars scalars, int depth = 0) {
    if (depth > kMaxDepth || json.size() > kMaxJsonBytes)
      return at_line(node.Mark(), "is nested too deeply or too large");
    switch (node.Type()) {
      case YAML::NodeType::Sequence:
        return put_list(json, node, scalars, depth);
      case YAML::NodeType::Map:
        return put_map(json, node, scalars, depth);
      case YAML::NodeType::Scalar:
        put_scalar(json, node, scalars);
        return std::nullopt;
      default:
        json += "null";
        return std::nullopt;
    }
  }

 private:
  MaybeDefect put_list(std::string& json, const YAML::Node& list, Scalars scalars, int depth) {
    char before = '[';
    for (const auto& entry : list) {
      json += before;
      before = ',';
      if (auto defect = put(json, entry, scalars, depth + 1)) return defect;
    }
    json += before == '[' ? "[]" : "]";
    return std::nullopt;
  }

  MaybeDefect put_map(std::string& json, const YAML::Node& map, Scalars scalars, int depth) {
    char before = '{';
    for (const auto& member : map) {
      if (!member.first.IsScalar()) return at_line(map.Mark(), "a key must be text");
      json += before;
      before = ',';
      append_json_string(json, member.first.Scalar());
      json += ':';
      if (auto defect = put(json, member.second, scalars, depth + 1)) return defect;
    }
    json += before == '{' ? "{}" : "}";
    return std::nullopt;
  }

  static void put_scalar(std::string& json, const YAML::Node& node, Scalars scalars) {
    const std::string& text = node.Scalar();
    const bool plain = node.Tag() == "?";  // yaml-cpp's tag for a scalar without quotes and without a tag
    if (plain && scalars == Scalars::AsJson && (is_json_number(text) || text == "true" || text == "false"))
      json += text;
    else
      append_json_string(json, text);
  }
};

void append_member(std::string& json, std::string_view name, std::string_view value) {
  if (json.size() > 1) json += ',';
  append_json_string(json, name);
  json.append(":").append(value);
}

std::string as_json(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json;
}

Scalars scalars_of(std::optional<Member> member) {
  return member && shape_of(*member) != Shape::Count ? Scalars::AsText : Scalars::AsJson;
}

/// The members of a front matter, split into members of the record and all others.
struct Members {
  std::string record = "{";
  std::string others = "{";
  std::vector<RecordJson::MemberLine> places;
  std::vector<std::string> unknown;

  void fill_in(std::string_view name, std::string_view text) {
    const auto has_name = [&](const RecordJson::MemberLine& member) { return member.name == name; };
    if (std::none_of(places.begin(), places.end(), has_name)) append_member(record, name, as_json(text));
  }
  RecordJson as_record() && { return {std::move(record) + "}", std::move(places), std::move(unknown)}; }
};

MaybeDefect sort(const YAML::Node& yaml, const KnownMembers& known, Members& members) {
  for (const auto& entry : yaml) {
    if (!entry.first.IsScalar()) return at_line(yaml.Mark(), "a key must be text");
    if (entry.second.IsNull()) continue;
    const std::string& name = entry.first.Scalar();
    auto member = record_member(name);
    const auto& wanted = known.of_record;
    const bool own = member && std::find(wanted.begin(), wanted.end(), *member) != wanted.end();
    if (!own) member = metadata_member(name);
    const bool is_known = own || (known.has_metadata && member);
    std::string value;
    if (auto defect = JsonWriter().put(value, entry.second, scalars_of(member))) return defect;
    append_member(own ? members.record : members.others, name, value);
    members.places.push_back({name, line_of(entry.first.Mark())});
    const bool is_new = std::find(members.unknown.begin(), members.unknown.end(), name) == members.unknown.end();
    if (!is_known && is_new && members.unknown.size() < kMostUnknownMembers) members.unknown.push_back(name);
  }
  return std::nullopt;
}

std::variant<Members, YamlDefect> read(std::string_view text, const KnownMembers& known) {
  try {
    const YAML::Node yaml = YAML::Load(std::string(text));
    Members members;
    if (yaml.IsNull()) return members;
    if (!yaml.IsMap()) return at_line(yaml.Mark(), "wanted members as KEY: VALUE");
    if (auto defect = sort(yaml, known, members)) return *defect;
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

bool is_rule(std::string_view line, std::string_view mark) {
  while (!line.empty() && is_json_space(line.back())) line.remove_suffix(1);
  return line == mark;
}

}  // namespace

model::Result<MarkdownParts> split_front_matter(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string_view line = first_line(text);
  if (!is_rule(line, "---")) return MarkdownParts{{}, text};
  const std::string_view inside = text.substr(line.size());
  for (std::string_view rest = inside; !rest.empty(); rest.remove_prefix(line.size())) {
    line = first_line(rest);
    if (is_rule(line, "---") || is_rule(line, "..."))
      return MarkdownParts{inside.substr(0, inside.size() - rest.size()), rest.substr(line.size())};
  }
  return model::Error{model::ErrorCode::InvalidArgument, "the front matter is not ended by a line '---'", {}, {}, {}};
}

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

JsonOrDefect item_json(std::string_view yaml, const RecordDefaults& defaults) {
  auto outcome = read(yaml, kOfItem);
  if (const auto* defect = std::get_if<YamlDefect>(&outcome)) return *defect;
  auto* members = std::get_if<Members>(&outcome);
  members->fill_in("id", defaults.id);
  members->fill_in("title", defaults.title);
  members->fill_in("category", defaults.category);
  append_member(members->record, "metadata", members->others + "}");
  return std::move(*members).as_record();
}

JsonOrDefect category_json(std::string_view yaml, std::string_view default_id) {
  auto outcome = read(yaml, kOfCategory);
  if (const auto* defect = std::get_if<YamlDefect>(&outcome)) return *defect;
  auto* members = std::get_if<Members>(&outcome);
  members->fill_in("id", default_id);
  return std::move(*members).as_record();
}

}  // namespace kbase::content
