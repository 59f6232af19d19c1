// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/tags.hpp"

#include <algorithm>
#include <array>

#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

constexpr std::array<std::string_view, 132> kElements = {
    "a",        "abbr",     "acronym",  "address",  "applet",     "area",   "article",    "aside",    "audio",
    "b",        "base",     "basefont", "bdi",      "bdo",        "big",    "blockquote", "body",     "br",
    "button",   "canvas",   "caption",  "center",   "cite",       "code",   "col",        "colgroup", "data",
    "datalist", "dd",       "del",      "details",  "dfn",        "dialog", "dir",        "div",      "dl",
    "dt",       "em",       "embed",    "fieldset", "figcaption", "figure", "font",       "footer",   "form",
    "frame",    "frameset", "h1",       "h2",       "h3",         "h4",     "h5",         "h6",       "head",
    "header",   "hgroup",   "hr",       "html",     "i",          "iframe", "img",        "input",    "ins",
    "kbd",      "label",    "legend",   "li",       "link",       "main",   "map",        "mark",     "marquee",
    "math",     "menu",     "meta",     "meter",    "nav",        "nobr",   "noframes",   "noscript", "object",
    "ol",       "optgroup", "option",   "output",   "p",          "param",  "picture",    "pre",      "progress",
    "q",        "rb",       "rp",       "rt",       "rtc",        "ruby",   "s",          "samp",     "script",
    "search",   "section",  "select",   "slot",     "small",      "source", "span",       "strike",   "strong",
    "style",    "sub",      "summary",  "sup",      "svg",        "table",  "tbody",      "td",       "template",
    "textarea", "tfoot",    "th",       "thead",    "time",       "title",  "tr",         "track",    "tt",
    "u",        "ul",       "var",      "video",    "wbr",        "xmp"};
static_assert(std::is_sorted(kElements.begin(), kElements.end()));

constexpr std::array<std::string_view, 6> kShownAttributes = {"title", "label", "heading", "header", "summary", "text"};

constexpr bool is_name_character(char c) {
  return ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == ':';
}
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Reads the attributes of one tag.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : text_(text.substr(0, kMaxTagBytes)) {}

  Tag read() {
    Tag tag;
    if (text_.size() < 3) return {};
    tag.is_closing = text_[1] == '/';
    at_ = tag.is_closing ? 2 : 1;
    tag.name = name();
    if (!tag.name.empty() && !ascii::is_letter(tag.name.front())) return {};
    // "<>" and "</>" are the fragments of JSX.
    if (tag.name.empty() && text_[at_] != '>') return {};
    html_.append(text_.substr(0, at_));
    while (at_ < text_.size()) {
      const std::size_t start = at_;
      skip_spaces();
      if (at_ == text_.size()) return {};
      const char c = text_[at_];
      if (c == '>' || text_.substr(at_, 2) == "/>") {
        at_ += c == '>' ? 1 : 2;
        html_.append(text_.substr(start, at_ - start));
        tag.size = at_;
        tag.html = std::move(html_);
        return tag;
      }
      if (at_ == start && !tag.name.empty()) return {};  // two attributes without white space between them
      if (!attribute(tag, start)) return {};
    }
    return {};
  }

 private:
  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  /// Skips what is between braces. False: it has no end.
  bool expression(Tag& tag) {
    const std::size_t length = expression_length(text_.substr(at_));
    at_ += length;
    tag.has_expressions = true;
    return length != 0;
  }
  bool attribute(Tag& tag, std::size_t start) {
    if (text_[at_] == '{') return expression(tag);
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_name_character(text_[at_]) || text_[at_] == '@' || text_[at_] == '#' ||
                                  text_[at_] == '*' || text_[at_] == '(' || text_[at_] == ')'))
      ++at_;
    const std::string_view attribute_name = text_.substr(begin, at_ - begin);
    if (attribute_name.empty() || at_ == text_.size()) return false;
    const std::size_t end_of_name = at_;
    skip_spaces();
    if (at_ == text_.size()) return false;
    if (text_[at_] != '=') {
      at_ = end_of_name;
      html_.append(text_.substr(start, at_ - start));
      return true;
    }
    ++at_;
    skip_spaces();
    if (at_ == text_.size()) return false;
    if (text_[at_] == '{') return expression(tag);
    if (!value(tag, attribute_name)) return false;
    html_.append(text_.substr(start, at_ - start));
    return true;
  }
  bool value(Tag& tag, std::string_view attribute_name) {
    const char quote = text_[at_];
    if (quote != '"' && quote != '\'') {
      while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '>') ++at_;
      return at_ < text_.size();
    }
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    const std::string_view shown = text_.substr(at_ + 1, end - at_ - 1);
    if (std::find(kShownAttributes.begin(), kShownAttributes.end(), attribute_name) != kShownAttributes.end())
      tag.shown.append(tag.shown.empty() ? "" : " ").append(shown);
    at_ = end + 1;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string html_;
};

}  // namespace

bool is_html_element(std::string_view name) {
  return std::binary_search(kElements.begin(), kElements.end(), ascii::to_lower(name));
}

Tag read_tag(std::string_view text) { return TagReader(text).read(); }

std::set<std::string_view> closing_tags(std::string_view text) {
  std::set<std::string_view> names;
  for (std::size_t at = text.find("</"); at != std::string_view::npos; at = text.find("</", at + 2))
    names.insert(read_tag(text.substr(at)).name);
  return names;
}

std::size_t expression_length(std::string_view text) {
  text = text.substr(0, kMaxTagBytes);
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return at + 1;
    if (c != '"' && c != '\'' && c != '`') continue;
    const std::size_t end = text.find(c, at + 1);
    // An apostrophe in prose has no partner in its line.
    if (end != std::string_view::npos && (c == '`' || text.substr(at, end - at).find('\n') == std::string_view::npos))
      at = end;
  }
  return 0;
}

std::string_view parameter_of(std::string_view parameters, std::string_view name) {
  for (std::size_t at = parameters.find(name); at != std::string_view::npos; at = parameters.find(name, at + 1)) {
    if (at != 0 && !is_space(parameters[at - 1])) continue;
    std::string_view rest = parameters.substr(at + name.size());
    if (!rest.starts_with('=')) continue;
    rest.remove_prefix(1);
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'' && rest.front() != '`')) continue;
    const std::size_t end = rest.find(rest.front(), 1);
    if (end != std::string_view::npos) return rest.substr(1, end - 1);
  }
  return {};
}

}  // namespace kbase::markup
