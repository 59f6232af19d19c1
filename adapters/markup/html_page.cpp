// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/html_page.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "adapters/markup/callouts.hpp"
#include "adapters/markup/document_writer.hpp"
#include "adapters/markup/html_addresses.hpp"
#include "adapters/markup/html_elements.hpp"
#include "adapters/markup/html_parser.hpp"
#include "adapters/markup/html_text.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

constexpr auto npos = std::string_view::npos;

/// Deeper elements are left out, not their text: browsers stop at a few hundred.
constexpr std::size_t kMaxDepth = 200;

/// An element of a content, and the element that shows it.
struct Shown {
  std::string_view name, as;
};

// Elements that only a page has, and old ones, become those that mean the same. A page has one heading of the first
// level, its title.
constexpr std::array<Shown, 80> kShown = {{
    {"a", "a"},
    {"abbr", "abbr"},
    {"acronym", "abbr"},
    {"address", "div"},
    {"article", "div"},
    {"aside", "div"},
    {"b", "b"},
    {"bdi", "bdi"},
    {"bdo", "bdo"},
    {"blockquote", "blockquote"},
    {"br", "br"},
    {"caption", "caption"},
    {"center", "div"},
    {"cite", "cite"},
    {"code", "code"},
    {"col", "col"},
    {"colgroup", "colgroup"},
    {"dd", "dd"},
    {"del", "del"},
    {"details", "details"},
    {"dfn", "dfn"},
    {"dir", "ul"},
    {"div", "div"},
    {"dl", "dl"},
    {"dt", "dt"},
    {"em", "em"},
    {"fieldset", "div"},
    {"figcaption", "figcaption"},
    {"figure", "figure"},
    {"footer", "div"},
    {"form", "div"},
    {"h1", "h2"},
    {"h2", "h2"},
    {"h3", "h3"},
    {"h4", "h4"},
    {"h5", "h5"},
    {"h6", "h6"},
    {"header", "div"},
    {"hgroup", "div"},
    {"hr", "hr"},
    {"i", "i"},
    {"img", "img"},
    {"input", "input"},
    {"ins", "ins"},
    {"kbd", "kbd"},
    {"li", "li"},
    {"main", "div"},
    {"mark", "mark"},
    {"menu", "ul"},
    {"nav", "div"},
    {"ol", "ol"},
    {"p", "p"},
    {"pre", "pre"},
    {"q", "q"},
    {"rt", "rt"},
    {"ruby", "ruby"},
    {"s", "s"},
    {"samp", "samp"},
    {"section", "section"},
    {"small", "small"},
    {"span", "span"},
    {"strike", "s"},
    {"strong", "strong"},
    {"sub", "sub"},
    {"summary", "summary"},
    {"sup", "sup"},
    {"table", "table"},
    {"tbody", "tbody"},
    {"td", "td"},
    {"tfoot", "tfoot"},
    {"th", "th"},
    {"thead", "thead"},
    {"time", "time"},
    {"tr", "tr"},
    {"tt", "code"},
    {"u", "u"},
    {"ul", "ul"},
    {"var", "var"},
    {"wbr", "wbr"},
    {"xmp", "pre"},
}};

static_assert(std::is_sorted(kShown.begin(), kShown.end(),
                             [](const Shown& a, const Shown& b) { return a.name < b.name; }));

/// Returns the element that shows `name`; empty: only its content is shown.
std::string_view shown_as(std::string_view name) {
  const auto* const found =
      std::lower_bound(kShown.begin(), kShown.end(), name,
                       [](const Shown& each, std::string_view wanted) { return each.name < wanted; });
  return found != kShown.end() && found->name == name ? found->as : std::string_view();
}

bool is_void(std::string_view name) {
  return name == "br" || name == "col" || name == "hr" || name == "img" || name == "input" || name == "wbr";
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 4 && std::all_of(text.begin(), text.end(), ascii::is_digit);
}

/// Whether a word is what identifiers and language tags are made of.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 256 &&
         std::none_of(text.begin(), text.end(), [](char c) { return is_space(c) || (c >= 0 && c < ' '); });
}

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Whether an attribute of an element may be shown as it is. Addresses and the classes of code are looked at apart.
bool is_allowed(std::string_view element, std::string_view attribute, std::string_view value) {
  if (attribute == "id" || attribute == "lang") return is_name(value);
  if (attribute == "dir") return is_one_of(value, {"ltr", "rtl", "auto"});
  if (attribute == "title" || (attribute == "alt" && element == "img")) return true;
  if (attribute == "align") return is_one_of(element, {"td", "th"}) && is_one_of(value, {"left", "right", "center"});
  if (attribute == "colspan" || attribute == "rowspan") return is_one_of(element, {"td", "th"}) && is_number(value);
  if (attribute == "width" || attribute == "height") return element == "img" && is_number(value);
  if (attribute == "start") return element == "ol" && is_number(value);
  if (attribute == "type") return element == "ol" && is_one_of(value, {"1", "a", "A", "i", "I"});
  if (attribute == "value") return element == "li" && is_number(value);
  if (attribute == "class") return element == "b" && is_callout_class(value);
  if (attribute == "datetime") return is_one_of(element, {"time", "ins", "del"});
  return attribute == "scope" && element == "th" && is_one_of(value, {"row", "col"});
}

/// Returns the scheme of an address (RFC 3986, section 3.1) in lower case; empty: it is relative. Browsers ignore white
/// space around an address.
std::string scheme_of(std::string_view address) {
  const std::size_t end = address.find_first_of(":/?#");
  return end == npos || address[end] != ':' ? std::string() : ascii::to_lower(address.substr(0, end));
}

bool is_relative(std::string_view address) { return scheme_of(address).empty() && !address.starts_with("//"); }

bool is_safe_link(std::string_view address) {
  const std::string scheme = scheme_of(utf8::trimmed(address));
  return scheme.empty() || is_one_of(scheme, {"http", "https", "mailto", "tel"});
}

bool is_safe_picture(std::string_view address) {
  address = utf8::trimmed(address);
  const std::string scheme = scheme_of(address);
  if (scheme != "data") return scheme.empty() || is_one_of(scheme, {"http", "https"});
  const auto begins = [&](std::string_view type) { return address.starts_with(type); };
  return begins("data:image/png;") || begins("data:image/jpeg;") || begins("data:image/gif;") ||
         begins("data:image/webp;");
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        // HTML has no other control characters.
        if (static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n' || c == '\r') out += c;
    }
  }
}

/// Returns the value of an attribute; empty: the element does not have it.
std::string_view value_of(const xmlChar** attributes, std::string_view name) {
  for (; attributes != nullptr && attributes[0] != nullptr; attributes += 2)
    if (view_of(attributes[0]) == name) return view_of(attributes[1]);
  return {};
}
bool has(const xmlChar** attributes, std::string_view name) {
  for (; attributes != nullptr && attributes[0] != nullptr; attributes += 2)
    if (view_of(attributes[0]) == name) return true;
  return false;
}

/// Writes the elements that are shown, as the parser meets them.
class PageWriter {
 public:
  PageWriter(bool is_page, bool has_main, const ports::PageOptions& options)
      : document_(is_page, has_main), options_(options) {}

  std::string take() && {
    while (!open_.empty()) close();
    return std::move(out_);
  }

  void start(std::string_view name, const xmlChar** attributes) {
    const Role role = role_of(name);
    document_.start(role, name, read_attributes(attributes));
    std::string_view as = document_.is_shown() ? shown_as(name) : std::string_view();
    if (role == Role::Heading && !as.empty()) as = next_heading(as);
    const bool is_open = !as.empty() && !is_void(as) && open_.size() < kMaxDepth;
    if (role == Role::Heading && is_open) heading_ = out_.size();
    if (is_open || (!as.empty() && is_void(as))) write(as, name, attributes);
    open_.push_back({std::string(name), is_open ? as : std::string_view()});
  }

  void end(std::string_view name) {
    const Role role = role_of(name);
    document_.end(role);
    const auto found =
        std::find_if(open_.rbegin(), open_.rend(), [name](const Open& each) { return each.name == name; });
    if (found == open_.rend()) return;
    const auto left = static_cast<std::size_t>(open_.rend() - found) - 1;
    while (open_.size() > left) close();
    if (role == Role::Heading) end_heading();
  }

  void characters(std::string_view text) {
    document_.characters(text);
    if (!document_.is_shown()) return;
    if (heading_ == npos && !has_text_) has_text_ = !utf8::trimmed(text).empty();
    append_escaped(out_, text);
  }

 private:
  struct Open {
    std::string name;
    std::string_view as;  // empty: nothing was written
  };

  /// Returns the heading without a skipped level: a screen reader lists headings as an outline (WCAG 2.2, H42).
  std::string_view next_heading(std::string_view as) {
    constexpr std::array<std::string_view, 5> kHeadings = {"h2", "h3", "h4", "h5", "h6"};
    level_ = std::min<std::size_t>(static_cast<std::size_t>(as.back() - '0'), level_ + 1);
    return kHeadings[level_ - 2];
  }

  void close() {
    const std::string_view as = open_.back().as;
    if (!as.empty()) out_.append("</").append(as).append(">");
    if (as == "table") out_ += "</div>";
    open_.pop_back();
  }

  void write(std::string_view as, std::string_view name, const xmlChar** attributes) {
    if (as == "input") return write_task(attributes);
    if (as == "img") return write_picture(attributes);
    if (as == "table") out_ += "<div class=\"scroll\" tabindex=\"0\">";
    out_.append("<").append(as);
    const bool is_heading = role_of(name) == Role::Heading;
    for (const xmlChar** each = attributes; each != nullptr && each[0] != nullptr; each += 2) {
      const std::string_view key = view_of(each[0]), value = view_of(each[1]);
      if (is_allowed(as, key, value) && !(is_heading && key == "id")) write_attribute(key, value);
    }
    if (as == "a") write_link(attributes);
    if (as == "pre") out_ += " tabindex=\"0\"";
    if (as == "code") write_language(value_of(attributes, "class"));
    if (as == "details" && has(attributes, "open")) out_ += " open";
    out_ += '>';
  }

  void write_attribute(std::string_view key, std::string_view value) {
    out_.append(" ").append(key).append("=\"");
    append_escaped(out_, value);
    out_ += '"';
  }

  void write_link(const xmlChar** attributes) {
    const std::string_view anchor = value_of(attributes, "name");
    if (!has(attributes, "id") && is_name(anchor)) write_attribute("id", anchor);
    const std::string_view target = value_of(attributes, "href");
    if (target.empty()) return;
    const std::string address = target.front() == '#' ? std::string(target) : resolve_link(target);
    if (address.empty() || !is_safe_link(address)) return;
    write_attribute("href", address);
    if (!scheme_of(address).empty() || address.starts_with("//")) out_ += " rel=\"noopener\"";
  }

  std::string resolve_link(std::string_view target) const {
    std::string address = is_relative(target) ? options_.link(target) : std::string();
    return address.empty() ? resolve(target) : address;
  }

  /// Returns the absolute address that `target` means; empty: it means none.
  std::string resolve(std::string_view target) const {
    if (!is_relative(target)) return std::string(target);
    if (target.empty() || options_.address.empty()) return {};
    return absolute_address(target, std::string(options_.address));
  }

  void write_picture(const xmlChar** attributes) {
    const std::string_view source = value_of(attributes, "src"), text = value_of(attributes, "alt");
    const std::string address = resolve(source);
    if (address.empty() || !is_safe_picture(address)) {
      append_escaped(out_, text);
      return;
    }
    out_ += "<img";
    write_attribute("src", address);
    write_attribute("alt", text);
    for (const std::string_view key : {"title", "width", "height"})
      if (const std::string_view value = value_of(attributes, key); !value.empty() && is_allowed("img", key, value))
        write_attribute(key, value);
    out_ += " loading=\"lazy\" decoding=\"async\">";
  }

  /// The box of a task is no control, since no reader can check it.
  void write_task(const xmlChar** attributes) {
    if (value_of(attributes, "type") == "checkbox") out_ += has(attributes, "checked") ? "\u2611 " : "\u2610 ";
  }

  /// The class by which highlighters know the language of code.
  void write_language(std::string_view classes) {
    constexpr std::string_view kPrefix = "language-";
    const std::size_t begin = classes.find(kPrefix);
    if (begin == npos) return;
    const std::size_t end = classes.find_first_of(" \t\n", begin);
    const std::string_view language = classes.substr(begin, end == npos ? npos : end - begin);
    if (language.size() > kPrefix.size()) write_attribute("class", language);
  }

  /// Gives the heading its anchor and a link to itself. A first heading that repeats the title becomes its anchor.
  void end_heading() {
    const std::size_t begin = std::exchange(heading_, npos);
    if (begin == npos) return;
    const model::Section& heading = document_.last_heading();
    if (heading.anchor.empty()) return;  // without text
    std::string id = " id=\"";
    append_escaped(id, heading.anchor);
    id += '"';
    if (!std::exchange(has_text_, true) && utf8::trimmed(options_.title) == heading.heading) {
      out_.resize(begin);
      out_.append("<span").append(id).append("></span>");
      level_ = 1;
      return;
    }
    const std::size_t end_of_name = out_.find_first_of(" >", begin);
    out_.insert(end_of_name, id);
    if (std::any_of(open_.begin(), open_.end(), [](const Open& each) { return each.as == "a"; })) return;
    const std::size_t end_tag = out_.rfind("</");
    std::string link = "<a class=\"anchor\" href=\"#";
    append_escaped(link, heading.anchor);
    link += "\" aria-hidden=\"true\" tabindex=\"-1\">#</a>";
    out_.insert(end_tag, link);
  }

  DocumentWriter document_;
  const ports::PageOptions& options_;
  std::string out_;
  std::vector<Open> open_;
  std::size_t heading_ = npos;  // where the open heading begins in `out_`
  std::size_t level_ = 1;       // of the last heading; that of the title at first
  bool has_text_ = false;
};

}  // namespace

std::string escape_html(std::string_view text) {
  std::string html;
  append_escaped(html, text);
  return html;
}

std::string safe_html(std::string_view html, const ports::PageOptions& options) {
  const bool is_page = is_html_page(html);
  PageWriter writer(is_page, is_page && has_main_part(html), options);
  read_html(html, writer);
  return std::move(writer).take();
}

}  // namespace kbase::markup
