// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/member_map.hpp"

#include <algorithm>
#include <array>

#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

/// The members that a rule can set.
constexpr std::array<Member, 15> kMapped = {Member::Id,      Member::Title,    Member::Category, Member::Content,
                                            Member::Tags,    Member::Related,  Member::Url,      Member::Summary,
                                            Member::Aliases, Member::Language, Member::Version,  Member::Format,
                                            Member::Author,  Member::Created,  Member::Updated};

std::optional<Member> mapped_member(std::string_view name) {
  if (name.starts_with("metadata.")) name.remove_prefix(9);
  auto member = record_member(name);
  if (!member) member = metadata_member(name);
  if (member == Member::Views || !member) return member;
  const bool is_mapped = std::find(kMapped.begin(), kMapped.end(), *member) != kMapped.end();
  return is_mapped ? member : std::nullopt;
}

Error invalid(std::string_view rule, std::string_view reason) {
  return invalid_argument("map", "\"" + std::string(rule) + "\" " + std::string(reason));
}

/// Returns the constant at the start of `text`, which begins with a quote, and removes it from the text; nullopt: it
/// has no end.
std::optional<std::string> take_constant(std::string_view& text) {
  std::string constant;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\'' && (at + 1 == text.size() || text[at + 1] != '\'')) {
      text.remove_prefix(at + 1);
      return constant;
    }
    if (text[at] == '\'') ++at;
    constant += text[at];
  }
  return std::nullopt;
}

}  // namespace

Result<MemberMap> MemberMap::parse(const std::vector<std::string>& texts) {
  MemberMap map;
  for (std::string_view text : texts) {
    while (!text.empty()) {
      const std::string_view shown = text.substr(0, text.find(','));
      const std::size_t equals = shown.find('=');
      if (equals == std::string_view::npos)
        return invalid(shown, "is not a rule; expected MEMBER=NAME or MEMBER='TEXT'");
      const auto member = mapped_member(utf8::trimmed(text.substr(0, equals)));
      if (!member) return invalid(shown, "does not begin with a member of items, such as title or content");
      text.remove_prefix(equals + 1);
      Rule rule{*member, {}};
      if (text.starts_with('\'')) {
        auto constant = take_constant(text);
        if (!constant) return invalid(shown, "has a text without a closing quote");
        rule.source = *std::move(constant);
        rule.is_constant = true;
        if (shape_of(*member) == Shape::Count) return invalid(shown, "sets a number; name a member of the source");
      } else {
        rule.source = utf8::trimmed(text.substr(0, text.find(',')));
        text.remove_prefix(std::min(text.find(','), text.size()));
        if (rule.source.empty()) return invalid(shown, "names no member of the source");
      }
      if (!text.empty() && text.front() != ',') return invalid(shown, "is followed by other text; expected a comma");
      text.remove_prefix(std::min<std::size_t>(1, text.size()));
      if (map.rule_for(*member) != nullptr) return invalid(shown, "names a member that another rule names");
      if (!rule.is_constant) rule.copied = map.member_of_rule(rule.source);
      if (rule.copied && shape_of(*rule.copied) == Shape::TextList)
        return invalid(shown, "uses a name that is a list in another rule");
      map.rules_.push_back(std::move(rule));
    }
  }
  return map;
}

const MemberMap::Rule* MemberMap::rule_for(Member member) const {
  const auto found =
      std::find_if(rules_.begin(), rules_.end(), [&](const Rule& each) { return each.member == member; });
  return found == rules_.end() ? nullptr : &*found;
}

std::optional<Member> MemberMap::member_of_rule(std::string_view name) const {
  for (const Rule& rule : rules_)
    if (!rule.is_constant && rule.source == name) return rule.member;
  return std::nullopt;
}

std::optional<Member> MemberMap::member_of(std::string_view name, bool of_metadata) const {
  if (const auto member = of_metadata ? std::nullopt : member_of_rule(name)) return member;
  const auto member = of_metadata ? metadata_member(name) : record_member(name);
  return member && rule_for(*member) != nullptr ? std::nullopt : member;
}

std::optional<Member> MemberMap::column_member(std::string_view name) const {
  if (const auto member = member_of(name)) return member;
  const std::string lower = ascii::to_lower(name);
  const auto member = mapped_member(lower);
  if (!member) return record_member(lower) == Member::Type ? std::optional(Member::Type) : std::nullopt;
  return rule_for(*member) != nullptr ? std::nullopt : member;
}

void MemberMap::complete(RecordDraft& draft) const {
  for (const Rule& rule : rules_) {
    if (!rule.is_constant && !rule.copied) continue;
    if (rule.copied && !draft.has(*rule.copied)) continue;
    std::string text = rule.copied ? draft.text(*rule.copied) : rule.source;
    draft.begin(rule.member);
    if (shape_of(rule.member) == Shape::TextList)
      draft.set_list(rule.member, text);
    else
      draft.set_text(rule.member, text);
  }
}

std::string_view MemberMap::source_of(Member member) const {
  const Rule* const rule = rule_for(member);
  return rule == nullptr ? member_name(member) : rule->is_constant ? std::string_view() : rule->source;
}

}  // namespace kbase::content
