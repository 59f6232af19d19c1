// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/notations.hpp"

#include <algorithm>
#include <array>

#include "adapters/markup/markdown_lines.hpp"
#include "adapters/markup/tags.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

constexpr bool is_identifier(char c) {
  return ascii::is_alphanumeric(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// The characters with which a notation begins. A table, because every character of a text is looked up.
constexpr std::array<bool, 256> kBeginnings = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("\\`<{[!(:=^+%*")) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool may_begin(char c) { return kBeginnings[static_cast<unsigned char>(c)]; }

/// Returns the position of `close`; npos: it is not nearby.
std::size_t find_end(std::string_view rest, std::string_view close, std::size_t from) {
  return rest.substr(0, kMaxNotation).find(close, from);
}

std::string_view first_word(std::string_view text) {
  text = trim(text);
  return text.substr(0, text.find_first_of(kSpace));
}

/// The parameters of shortcodes and tags whose value readers see.
std::string_view shown_parameter(std::string_view parameters) {
  for (const std::string_view name : {"text", "title", "label", "caption"})
    if (const auto value = parameter_of(parameters, name); !value.empty()) return value;
  return {};
}

}  // namespace

void InlineNotations::append(std::string& out, std::string_view prose) {
  out_ = &out;
  begin_ = out.size();
  comment_end_ = NextMark("endcomment");
  while (!prose.empty()) {
    const auto* const special = std::find_if(prose.begin(), prose.end(), may_begin);
    out.append(prose.begin(), special);
    prose.remove_prefix(static_cast<std::size_t>(special - prose.begin()));
    if (prose.empty()) break;
    const std::size_t before = out.size();
    std::size_t length = notation(prose);
    if (length != 0 && out.size() == before) length += repair_emphasis(prose.substr(length));
    if (length == 0) {
      // A run of one mark is not the start of another notation, except of a bracket.
      if (prose.front() == '\\')
        length = std::min<std::size_t>(2, prose.size());
      else if (std::string_view("[{(<").find(prose.front()) != npos)
        length = 1;
      else
        length = std::min(prose.find_first_not_of(prose.front()), prose.size());
      out.append(prose.substr(0, length));
    }
    prose.remove_prefix(length);
  }
}

/// Repairs emphasis of which a part was removed. Without content it would be shown as its marks: `**{name}**`. Next to
/// white space within the emphasis, marks have no meaning: `**Version {number}**`.
std::size_t InlineNotations::repair_emphasis(std::string_view rest) {
  const std::string_view before = std::string_view(*out_).substr(begin_);
  for (const std::string_view marks : {"***", "**", "__", "*", "_"}) {
    const bool is_opened = before.ends_with(marks);
    if (is_opened && rest.starts_with(marks)) {
      out_->resize(out_->size() - marks.size());
      return marks.size();
    }
    const std::string_view outside = before.substr(0, before.size() - (is_opened ? marks.size() : 0));
    if (is_opened && rest.starts_with(' ') && (outside.empty() || kSpace.find(outside.back()) != npos)) return 1;
    if (!before.ends_with(' ') || !rest.starts_with(marks)) continue;
    if (rest.size() == marks.size() || !is_identifier(rest[marks.size()])) out_->pop_back();
    return 0;
  }
  return 0;
}

std::size_t InlineNotations::notation(std::string_view rest) {
  switch (rest.front()) {
    case '`': return code_span(rest);
    case '<': return angle(rest);
    case '{': return brace(rest);
    case '[': return bracket(rest);
    case '!': return rest.starts_with("![[") ? hidden(rest, "![[", "]]") : 0;
    case '(': return block_reference(rest);
    case ':': return icon(rest);
    case '=': return paired(rest, "==");
    case '^': return rest.starts_with("^^") ? paired(rest, "^^") : block_id(rest);
    case '+': return keys(rest);
    case '*': return product(rest);
    case '%': return is_at_line_start() || previous() == ' ' ? hidden(rest, "%%", "%%") : 0;
    default: return 0;
  }
}

bool InlineNotations::is_at_line_start() const {
  const std::size_t last = out_->find_last_not_of(" \t");
  return last == std::string::npos || last < begin_ || (*out_)[last] == '\n';
}

bool InlineNotations::is_in_heading() const {
  std::string_view line = std::string_view(*out_).substr(begin_);
  if (line.size() > kMaxNotation) line.remove_prefix(line.size() - kMaxNotation);
  line.remove_prefix(line.rfind('\n') + 1);  // npos + 1 is 0: the first line
  const std::size_t first = line.find_first_not_of(" >");
  return first != npos && line[first] == '#';
}

/// A code span (CommonMark 6.1) stays as it is, except that a shortcode shown in code loses its escape.
std::size_t InlineNotations::code_span(std::string_view rest) {
  const std::size_t ticks = std::min(rest.find_first_not_of('`'), rest.size());
  const std::string_view mark = rest.substr(0, ticks);
  const std::string_view paragraph = rest.substr(0, std::min(rest.find("\n\n"), kMaxNotation));
  for (std::size_t end = paragraph.find(mark, ticks); end != npos; end = paragraph.find(mark, end)) {
    const std::size_t run = std::min(paragraph.find_first_not_of('`', end), paragraph.size()) - end;
    if (run != ticks) {
      end += run;
      continue;
    }
    out_->append(rest.substr(0, end + ticks));
    return end + ticks;
  }
  out_->append(mark);
  return ticks;
}

/// What looks like a tag but is no element of HTML is text: `<directory>`, `Vec<u8>`. A name in capitals is a component
/// of JSX unless it continues a word.
std::size_t InlineNotations::angle(std::string_view rest) {
  if (rest.size() < 2) return 0;
  const Tag tag = read_tag(rest);
  if (tag.size == 0) return 0;
  const std::string_view name = tag.name;
  const bool is_upper = !name.empty() && ascii::is_upper(name.front());
  if (name.find(':') != npos) return 0;  // an autolink
  const bool is_element =
      is_html_element(name) && (!is_upper || std::none_of(name.begin(), name.end(), ascii::is_lower));
  if (is_element) {
    out_->append(tag.has_expressions ? std::string_view(tag.html) : rest.substr(0, tag.size));
    return tag.size;
  }
  if (name.empty() && !dialect_.is_mdx) return 0;
  if (name.find('-') != npos && rest.substr(0, tag.size).find_first_of("= ") != npos)
    return tag.size;  // a custom element
  if (name.empty() || is_upper || name.find('.') != npos) {
    if (const std::size_t length = component(rest)) return length;
  }
  out_->append("&lt;");
  return 1;
}

std::size_t InlineNotations::component(std::string_view rest) {
  const Tag tag = read_tag(rest);
  const bool continues_word = is_identifier(previous());
  if (continues_word && !dialect_.is_mdx) return 0;
  const bool is_alone = is_at_line_start() && trim(line_of(rest.substr(tag.size))).empty();
  const bool is_void = tag.size > 1 && rest[tag.size - 2] == '/';
  if (!dialect_.is_mdx && !tag.is_closing && !is_void && !is_closed(tag.name)) return 0;
  if (is_alone) {
    out_->append("\n");
    if (!tag.shown.empty()) out_->append(tag.shown).append("\n\n");
  } else if (!tag.shown.empty()) {
    out_->append(" ").append(tag.shown).append(" ");
  }
  return tag.size;
}

bool InlineNotations::is_closed(std::string_view name) {
  if (!closed_) closed_ = closing_tags(document_);
  return closed_->count(name) != 0;
}

std::size_t InlineNotations::brace(std::string_view rest) {
  if (is_raw_ && !rest.starts_with("{%")) return 0;
  if (rest.starts_with("{{")) return shortcode(rest);
  if (rest.starts_with("{%")) return liquid(rest);
  if (rest.starts_with("{/*")) return hidden(rest, "{/*", "*/}");
  for (Handler handler :
       {&InlineNotations::attributes, &InlineNotations::role, &InlineNotations::critic, &InlineNotations::expression})
    if (const std::size_t length = (this->*handler)(rest)) return length;
  return 0;
}

/// "{{< figure src=a.png >}}", "{{% note %}}", "{{ page.title }}", "{{#include file}}", "{{embed ((id))}}".
std::size_t InlineNotations::shortcode(std::string_view rest) {
  const std::string_view close = rest.starts_with("{{<") ? ">}}" : rest.starts_with("{{%") ? "%}}" : "}}";
  const std::size_t end = find_end(rest, close, 2);
  if (end == npos) return 0;
  const std::string_view inside = rest.substr(2, end - 2);
  if (close == "}}" && inside.find("\n\n") != npos) return 0;
  if (close == "}}" && trim(inside).empty()) return 0;
  if (const auto text = shown_parameter(inside); !text.empty()) out_->append(text);
  if (std::string_view(*out_).ends_with("]: ")) out_->append("#");  // the target of a reference
  return end + close.size();
}

std::size_t InlineNotations::liquid(std::string_view rest) {
  const std::size_t end = find_end(rest, "%}", 2);
  if (end == npos) return 0;
  std::string_view inside = trim(rest.substr(2, end - 2));
  while (!inside.empty() && inside.front() == '-') inside = trim(inside.substr(1));
  const std::string_view word = first_word(inside);
  if (is_raw_ && word != "endraw") return 0;
  if (word == "raw" || word == "endraw") is_raw_ = word == "raw";
  if (word == "comment")
    if (const std::size_t last = comment_end_.in(rest); last != npos)
      if (const std::size_t close = find_end(rest.substr(last), "%}", 0); close != npos) return last + close + 2;
  if (const auto text = shown_parameter(inside); !text.empty()) out_->append(text);
  return end + 2;
}

/// "{: .note #id }", "{#id}", "{.wide}", "{ width=30 }": at the end of a line or directly after what they describe. The
/// id of a heading becomes an anchor.
std::size_t InlineNotations::attributes(std::string_view rest) {
  const std::string_view line = line_of(rest);
  const std::size_t end = line.find('}');
  if (end == npos) return 0;
  std::string_view inside = line.substr(1, end - 1);
  const bool is_kramdown = inside.starts_with(':') || inside.starts_with("::");
  while (inside.starts_with(':')) inside.remove_prefix(1);
  inside = trim(inside);
  const std::size_t equals = inside.find('=');
  const bool has_form = inside.starts_with('#') || inside.starts_with('.') ||
                        (equals != npos && equals != 0 && !dialect_.is_mdx &&
                         std::all_of(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(equals),
                                     [](char c) { return is_identifier(c) || c == '-'; }));
  if (!is_kramdown && !has_form) return 0;
  constexpr std::string_view kDescribed = ")]`*_\"'";
  const bool is_at_end = trim(line.substr(end + 1)).empty();
  if (!is_kramdown && !is_at_end && kDescribed.find(previous()) == npos) return 0;
  if (const std::size_t hash = inside.find('#'); hash != npos && is_in_heading()) {
    const std::string_view id = first_word(inside.substr(hash + 1));
    if (id.find_first_of("<>\"&") == npos) out_->append("<a id=\"").append(id).append("\"></a>");
  }
  return end + 1;
}

/// "{ref}`Text <target>`" of MyST.
std::size_t InlineNotations::role(std::string_view rest) {
  const std::size_t end =
      rest.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_+-", 1);
  if (end == npos || end == 1 || rest[end] != '}' || end + 1 >= rest.size() || rest[end + 1] != '`') return 0;
  const std::string_view line = line_of(rest);
  const std::size_t close = line.find('`', end + 2);
  if (close == npos) return 0;
  std::string_view text = line.substr(end + 2, close - end - 2);
  if (const std::size_t target = text.rfind(" <"); target != npos && text.ends_with('>')) text = text.substr(0, target);
  out_->append(text);
  return close + 1;
}

/// CriticMarkup: "{++added++}", "{--removed--}", "{==marked==}", "{>>comment<<}".
std::size_t InlineNotations::critic(std::string_view rest) {
  constexpr std::array<std::array<std::string_view, 2>, 4> kMarks = {
      {{"{++", "++}"}, {"{--", "--}"}, {"{==", "==}"}, {"{>>", "<<}"}}};
  for (const auto& [open, close] : kMarks) {
    const std::size_t end = rest.starts_with(open) ? find_end(rest, close, 3) : npos;
    if (end == npos) continue;
    if (open == "{++" || open == "{==") out_->append(rest.substr(3, end - 3));
    return end + close.size();
  }
  return 0;
}

/// "{props.name}" of MDX; the text of "{'text'}" stays.
std::size_t InlineNotations::expression(std::string_view rest) {
  if (!dialect_.is_mdx) return 0;
  const std::size_t length = expression_length(rest);
  if (length == 0) return 0;
  const std::string_view inside = trim(rest.substr(1, length - 2));
  const bool is_text = inside.size() >= 2 && inside.front() == inside.back() &&
                       (inside.front() == '"' || inside.front() == '\'' || inside.front() == '`');
  if (is_text) out_->append(inside.substr(1, inside.size() - 2));
  return length;
}

/// "==marked==", "^^inserted^^": the text stays.
std::size_t InlineNotations::paired(std::string_view rest, std::string_view mark) {
  if (!rest.starts_with(mark) || rest.size() < 5 || kSpace.find(rest[2]) != npos || rest[2] == mark.front()) return 0;
  const std::string_view line = line_of(rest);
  const std::size_t end = line.find(mark, 2);
  if (end == npos || kSpace.find(line[end - 1]) != npos || is_identifier(previous())) return 0;
  const std::size_t begin = begin_;
  append(*out_, rest.substr(2, end - 2));
  begin_ = begin;
  return end + 2;
}

/// "++ctrl+alt+del++" of MkDocs.
std::size_t InlineNotations::keys(std::string_view rest) {
  if (!rest.starts_with("++")) return 0;
  const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", 2);
  std::size_t at = end;
  while (at != npos && rest[at] == '+' && rest.substr(at, 2) != "++")
    at = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at + 1);
  if (at == npos || at == 2 || rest.substr(at, 2) != "++") return 0;
  out_->append(rest.substr(2, at - 2));
  return at + 2;
}

/// "5*3" is text. With another star in the paragraph, CommonMark reads both as emphasis.
std::size_t InlineNotations::product(std::string_view rest) {
  if (rest.size() < 2 || !ascii::is_digit(rest[1]) || !ascii::is_digit(previous())) return 0;
  out_->append("\\*");
  return 1;
}

/// ":material-account:" of MkDocs.
std::size_t InlineNotations::icon(std::string_view rest) {
  const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_", 1);
  if (end == npos || rest[end] != ':') return 0;
  const std::string_view name = rest.substr(1, end - 1);
  constexpr std::array<std::string_view, 7> kSets = {"material-", "octicons-", "fontawesome-", "simple-",
                                                     "fas-",      "fab-",      "iconify-"};
  if (std::none_of(kSets.begin(), kSets.end(), [name](std::string_view set) { return name.starts_with(set); }))
    return 0;
  // Two blanks after the mark of a list item would move the column of its text.
  const bool is_between_blanks = previous() == ' ' && rest.substr(end + 1).starts_with(' ');
  return end + (is_between_blanks ? 2 : 1);
}

/// " ^37066d" at the end of a line of Obsidian.
std::size_t InlineNotations::block_id(std::string_view rest) {
  const std::string_view line = trim(line_of(rest));
  const bool is_id = line.size() >= 5 && std::all_of(line.begin() + 1, line.end(),
                                                     [](char c) { return ascii::is_alphanumeric(c) || c == '-'; });
  return is_id && (previous() == ' ' || previous() == '\n') ? line.size() : 0;
}

/// "((65f2f2a1-7c2e-4b0e-9d5a-000000000000))" of Logseq.
std::size_t InlineNotations::block_reference(std::string_view rest) {
  constexpr std::size_t kUuid = 36;
  if (!rest.starts_with("((") || rest.size() < kUuid + 4 || rest.substr(2 + kUuid, 2) != "))") return 0;
  const std::string_view id = rest.substr(2, kUuid);
  const bool is_id = std::all_of(id.begin(), id.end(), [](char c) { return ascii::is_alphanumeric(c) || c == '-'; });
  return is_id ? kUuid + 4 : 0;
}

std::size_t InlineNotations::hidden(std::string_view rest, std::string_view open, std::string_view close) {
  if (!rest.starts_with(open)) return 0;
  const std::size_t end = find_end(rest, close, open.size());
  return end == npos ? 0 : end + close.size();
}

}  // namespace kbase::markup
