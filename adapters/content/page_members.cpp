// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/page_members.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "adapters/base/json.hpp"
#include "adapters/content/dates.hpp"
#include "adapters/content/record_draft.hpp"
#include "domain/base/text.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"

namespace kbase::content {
namespace {

/// What a member means.
enum class Meaning : std::uint8_t {
  Id,
  Title,
  Category,
  Summary,
  Created,
  Updated,
  Expires,
  Tags,
  Author,
  Slug,
  Permalink,
  Aliases,
  Related,
  Language,
  Version,
  Views,
  Order,
  Draft,      ///< true: leave the page out
  Published,  ///< false: leave the page out
  Hidden,     ///< true: leave the page out of the search
  Shown,      ///< false: leave the page out of the search
  Search,     ///< "exclude", or a map with `exclude`
  Redirect,   ///< any value: the page only leads to another one
};

struct Name {
  std::string_view name;
  Meaning meaning;
};

// The names of the same meaning are in the order of their precedence.
constexpr std::array<Name, 58> kNames = {{
    {"id", Meaning::Id},
    {"title", Meaning::Title},
    {"category", Meaning::Category},
    {"description", Meaning::Summary},
    {"summary", Meaning::Summary},
    {"abstract", Meaning::Summary},
    {"created", Meaning::Created},
    {"date", Meaning::Created},
    {"published", Meaning::Published},
    {"pubdate", Meaning::Created},
    {"publishdate", Meaning::Created},
    {"created_at", Meaning::Created},
    {"date_created", Meaning::Created},
    {"published_at", Meaning::Created},
    {"updated", Meaning::Updated},
    {"lastmod", Meaning::Updated},
    {"last_modified", Meaning::Updated},
    {"last_modified_at", Meaning::Updated},
    {"last_updated", Meaning::Updated},
    {"last_update", Meaning::Updated},
    {"lastupdated", Meaning::Updated},
    {"updated_at", Meaning::Updated},
    {"updateddate", Meaning::Updated},
    {"date_modified", Meaning::Updated},
    {"modified", Meaning::Updated},
    {"ms.date", Meaning::Updated},
    {"expirydate", Meaning::Expires},
    {"tags", Meaning::Tags},
    {"tag", Meaning::Tags},
    {"keywords", Meaning::Tags},
    {"categories", Meaning::Tags},
    {"author", Meaning::Author},
    {"authors", Meaning::Author},
    {"slug", Meaning::Slug},
    {"url", Meaning::Permalink},
    {"permalink", Meaning::Permalink},
    {"canonical_url", Meaning::Permalink},
    {"aliases", Meaning::Aliases},
    {"alias", Meaning::Aliases},
    {"redirect_from", Meaning::Aliases},
    {"related", Meaning::Related},
    {"language", Meaning::Language},
    {"lang", Meaning::Language},
    {"locale", Meaning::Language},
    {"version", Meaning::Version},
    {"views", Meaning::Views},
    {"weight", Meaning::Order},
    {"sidebar_position", Meaning::Order},
    {"nav_order", Meaning::Order},
    {"order", Meaning::Order},
    {"draft", Meaning::Draft},
    {"publish", Meaning::Published},
    {"unlisted", Meaning::Hidden},
    {"search_exclude", Meaning::Hidden},
    {"pagefind", Meaning::Shown},
    {"search", Meaning::Search},
    {"redirect_to", Meaning::Redirect},
    {"private", Meaning::Draft},
}};

std::string normalized(std::string_view key) {
  std::string name = ascii::to_lower(utf8::trimmed(key));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::optional<Meaning> meaning_of(std::string_view name) {
  for (const Name& each : kNames)
    if (each.name == name) return each.meaning;
  return std::nullopt;
}

std::optional<bool> boolean_of(const Value& value) {
  const std::string text = ascii::to_lower(value.text);
  if (!value.is_scalar()) return std::nullopt;
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  return std::nullopt;
}

/// Returns the text on one line: YAML keeps the line feed at the end of a folded scalar.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : utf8::trimmed(text)) {
    const bool is_blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!is_blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

class Reader {
 public:
  PageMembers read(const Value& map) {
    for (const auto& [key, value] : map.members) {
      const auto meaning = meaning_of(normalized(key));
      if (!meaning || (*meaning == Meaning::Published && !boolean_of(value) && !is_date(value)))
        keep(key, value);
      else if (value.kind != Value::Kind::Null && value.kind != Value::Kind::Text)
        found_.emplace_back(*meaning, normalized(key), &value);
      else if (!value.text.empty())
        found_.emplace_back(*meaning, normalized(key), &value);
    }
    // The first name of a meaning wins, whatever the order in the file.
    for (const Name& each : kNames)
      for (const auto& [meaning, name, value] : found_)
        if (name == each.name) add(meaning, name, *value);
    return std::move(members_);
  }

 private:
  static bool is_date(const Value& value) { return value.is_scalar() && parse_any_date(value.text).has_value(); }

  void keep(const std::string& key, const Value& value) {
    if (members_.unknown.size() < kMaxUnknownMembers) members_.unknown.push_back(key);
    std::string member;
    kbase::json::append_string(member, key);
    member += ':';
    append_json(member, value);
    const std::size_t size = members_.extra.size() + member.size() + 1;
    if (size > model::kMaxExtraBytes) return warn(value, key + " is left out: the metadata has more than 16 KiB");
    if (std::find(kept_.begin(), kept_.end(), key) != kept_.end()) return;
    kept_.push_back(key);
    members_.extra.append(members_.extra.empty() ? "" : ",").append(member);
  }

  void warn(const Value& value, std::string reason) { members_.warnings.push_back({value.line, std::move(reason)}); }

  void add(Meaning meaning, const std::string& name, const Value& value) {
    switch (meaning) {
      case Meaning::Id: return set_text(members_.id, name, value);
      case Meaning::Title: return set_text(members_.title, name, value);
      case Meaning::Category: return set_text(members_.category, name, value);
      case Meaning::Summary: return set_text(members_.summary, name, value);
      case Meaning::Version: return set_text(members_.version, name, value);
      case Meaning::Slug: return set_text(members_.slug, name, value);
      case Meaning::Permalink: return set_text(members_.permalink, name, value);
      case Meaning::Language: return set_language(name, value);
      case Meaning::Created: return set_created(name, value);
      case Meaning::Updated: return set_day(members_.updated, name, value);
      case Meaning::Expires: return set_day(members_.expires, name, value);
      case Meaning::Tags: return add_list(members_.tags, name, value);
      case Meaning::Aliases: return add_list(members_.aliases, name, value);
      case Meaning::Related: return add_list(members_.related, name, value);
      case Meaning::Author: return set_author(name, value);
      case Meaning::Views: return set_views(name, value);
      case Meaning::Order: return set_order(value);
      case Meaning::Draft: members_.is_draft = members_.is_draft || boolean_of(value).value_or(false); return;
      case Meaning::Published:
        if (const auto published = boolean_of(value); published && value.text != "1")
          members_.is_draft = members_.is_draft || !*published;
        else
          set_day(members_.created, name, value);
        return;
      case Meaning::Hidden: members_.is_hidden = members_.is_hidden || boolean_of(value).value_or(false); return;
      case Meaning::Shown: members_.is_hidden = members_.is_hidden || !boolean_of(value).value_or(true); return;
      case Meaning::Search: return set_search(value);
      case Meaning::Redirect: members_.is_hidden = true; return;
    }
  }

  void set_text(std::string& text, const std::string& name, const Value& value) {
    if (!text.empty()) return;
    const Value* const scalar =
        value.kind == Value::Kind::List && value.entries.size() == 1 ? &value.entries.front() : &value;
    if (!scalar->is_scalar()) return warn(value, name + " must be text; it is ignored");
    text = one_line(scalar->text);
  }

  void set_language(const std::string& name, const Value& value) {
    std::string text;
    set_text(text, name, value);
    std::replace(text.begin(), text.end(), '_', '-');
    if (text.empty() || !members_.language.empty()) return;
    if (!model::is_language(text)) return warn(value, name + " is no language tag, such as en or pt-BR; it is ignored");
    members_.language = std::move(text);
  }

  void set_day(std::optional<model::Day>& day, const std::string& name, const Value& value) {
    if (day) return;
    if (const Value* const inner = value.find("date"); inner != nullptr) return set_day(day, name, *inner);
    if (value.is_scalar()) day = parse_any_date(value.text);
    if (!day) warn(value, name + " is not a date; it is ignored");
  }

  /// MkDocs writes `date: {created: ..., updated: ...}`.
  void set_created(const std::string& name, const Value& value) {
    if (value.kind != Value::Kind::Map) return set_day(members_.created, name, value);
    if (const Value* const created = value.find("created")) set_day(members_.created, name, *created);
    if (const Value* const updated = value.find("updated")) set_day(members_.updated, name, *updated);
  }

  static std::string name_of(const Value& value) {
    if (value.is_scalar()) return one_line(value.text);
    const Value* const name = value.find("name");
    return name != nullptr && name->is_scalar() ? one_line(name->text) : std::string();
  }

  void set_author(const std::string& name, const Value& value) {
    if (!members_.author.empty()) return;
    std::string author = name_of(value);
    for (const Value& entry : value.entries)
      if (const std::string each = name_of(entry); !each.empty())
        author.append(author.empty() ? "" : ", ").append(each);
    if (author.empty()) return warn(value, name + " has no name; it is ignored");
    members_.author = std::move(author);
  }

  void add_list(std::vector<std::string>& list, const std::string& name, const Value& value) {
    const auto push = [&list](std::string text) {
      if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
    };
    if (value.is_scalar()) {
      DraftList entries;
      entries.split(value.text);
      for (const std::string_view entry : entries.view()) push(one_line(entry));
      return;
    }
    if (value.kind != Value::Kind::List) return warn(value, name + " must be a list; it is ignored");
    for (const Value& entry : value.entries) {
      if (entry.is_scalar())
        push(one_line(entry.text));
      else if (const std::string text = name_of(entry); !text.empty())
        push(text);
      else if (entry.kind != Value::Kind::Null)
        warn(entry, "an entry of " + name + " must be text; it is ignored");
    }
  }

  void set_views(const std::string& name, const Value& value) {
    std::uint64_t views = 0;
    const char* const end = value.text.data() + value.text.size();
    const auto [last, failure] = std::from_chars(value.text.data(), end, views);
    if (failure != std::errc() || last != end || views > kMaxCount)
      return warn(value, name + " is not a count; it is ignored");
    if (!members_.views) members_.views = views;
  }

  void set_order(const Value& value) {
    if (members_.order || value.kind != Value::Kind::Literal) return;
    double order = 0;
    const auto [last, failure] = std::from_chars(value.text.data(), value.text.data() + value.text.size(), order);
    if (failure == std::errc()) members_.order = order;
  }

  void set_search(const Value& value) {
    const Value* const exclude = value.find("exclude");
    const bool is_excluded = exclude != nullptr ? boolean_of(*exclude).value_or(false)
                                                : value.text == "exclude" || boolean_of(value) == false;
    members_.is_hidden = members_.is_hidden || is_excluded;
  }

  PageMembers members_;
  std::vector<std::tuple<Meaning, std::string, const Value*>> found_;
  std::vector<std::string> kept_;
};

}  // namespace

PageMembers read_members(const Value& front_matter) { return Reader().read(front_matter); }

std::vector<std::string_view> front_matter_names() {
  std::vector<std::string_view> names;
  for (const Name& each : kNames) names.push_back(each.name);
  return names;
}

}  // namespace kbase::content
