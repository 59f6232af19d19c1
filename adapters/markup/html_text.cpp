// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/html_text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "adapters/markup/anchors.hpp"
#include "adapters/markup/html_parser.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

constexpr auto npos = std::string_view::npos;

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// What an element does to the text.
enum class Role : std::uint8_t { Inline, Block, Cell, Break, Preformatted, Heading, Title, Hidden, Frame, Main };

struct Element {
  std::string_view name;
  Role role;
};

// Frame: the navigation and decoration of a page; content where the text is only a part of one.
constexpr std::array<Element, 69> kRoles = {{
    {"address", Role::Block},    {"article", Role::Main},    {"aside", Role::Frame},     {"blockquote", Role::Block},
    {"body", Role::Block},       {"br", Role::Break},        {"button", Role::Frame},    {"canvas", Role::Hidden},
    {"caption", Role::Block},    {"center", Role::Block},    {"datalist", Role::Hidden}, {"dd", Role::Block},
    {"details", Role::Block},    {"dialog", Role::Frame},    {"dir", Role::Block},       {"div", Role::Block},
    {"dl", Role::Block},         {"dt", Role::Block},        {"fieldset", Role::Block},  {"figcaption", Role::Block},
    {"figure", Role::Block},     {"footer", Role::Frame},    {"form", Role::Frame},      {"frame", Role::Hidden},
    {"h1", Role::Heading},       {"h2", Role::Heading},      {"h3", Role::Heading},      {"h4", Role::Heading},
    {"h5", Role::Heading},       {"h6", Role::Heading},      {"head", Role::Block},      {"header", Role::Frame},
    {"hgroup", Role::Block},     {"hr", Role::Break},        {"html", Role::Block},      {"iframe", Role::Hidden},
    {"legend", Role::Block},     {"li", Role::Block},        {"main", Role::Main},       {"menu", Role::Block},
    {"nav", Role::Frame},        {"noframes", Role::Hidden}, {"noscript", Role::Hidden}, {"object", Role::Hidden},
    {"ol", Role::Block},         {"optgroup", Role::Hidden}, {"option", Role::Hidden},   {"p", Role::Block},
    {"pre", Role::Preformatted}, {"rp", Role::Hidden},       {"script", Role::Hidden},   {"section", Role::Block},
    {"select", Role::Hidden},    {"style", Role::Hidden},    {"summary", Role::Block},   {"svg", Role::Hidden},
    {"table", Role::Block},      {"tbody", Role::Block},     {"td", Role::Cell},         {"template", Role::Hidden},
    {"textarea", Role::Hidden},  {"tfoot", Role::Block},     {"th", Role::Cell},         {"thead", Role::Block},
    {"title", Role::Title},      {"tr", Role::Block},        {"ul", Role::Block},        {"video", Role::Hidden},
    {"xmp", Role::Preformatted},
}};

Role role_of(std::string_view name) {
  const auto* const found =
      std::lower_bound(kRoles.begin(), kRoles.end(), name,
                       [](const Element& each, std::string_view wanted) { return each.name < wanted; });
  return found != kRoles.end() && found->name == name ? found->role : Role::Inline;
}

/// Classes of elements without text of the page: links next to headings (Sphinx, Docusaurus, GitHub, rustdoc), and the
/// lists of pages that Sphinx and pandoc leave in place of a table of contents.
constexpr std::array<std::string_view, 14> kHiddenClasses = {
    "headerlink", "hash-link", "anchorjs-link", "header-anchor", "heading-anchor",  "anchor-link", "toctree-wrapper",
    "toctree",    "contents",  "sr-only",       "currentmodule", "visually-hidden", "breadcrumbs", "sphinxsidebar"};

bool has_word(std::string_view words, std::string_view wanted) {
  for (std::size_t at = words.find(wanted); at != npos; at = words.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if ((at == 0 || is_space(words[at - 1])) && (end == words.size() || is_space(words[end]))) return true;
  }
  return false;
}

/// The attributes of an element that matter here.
struct Attributes {
  std::string_view id, name, classes, role;
  bool is_hidden = false;

  explicit Attributes(const xmlChar** list) {
    for (; list != nullptr && list[0] != nullptr; list += 2) {
      const std::string_view key = reinterpret_cast<const char*>(list[0]);
      const std::string_view value = list[1] == nullptr ? std::string_view() : reinterpret_cast<const char*>(list[1]);
      if (key == "id") id = value;
      if (key == "name") name = value;
      if (key == "class") classes = value;
      if (key == "role") role = value;
      if (key == "hidden" || (key == "aria-hidden" && value == "true") || key == "data-pagefind-ignore")
        is_hidden = true;
    }
    if (role == "navigation" || role == "search") is_hidden = true;
    if (!classes.empty())
      is_hidden = is_hidden || std::any_of(kHiddenClasses.begin(), kHiddenClasses.end(),
                                           [&](std::string_view each) { return has_word(classes, each); });
  }
};

/// Receives the events of the parser and writes the document.
class DocumentWriter {
 public:
  DocumentWriter(bool is_page, bool has_main) : is_page_(is_page), needs_main_(has_main) {}

  model::Document take() && {
    if (document_.heading.empty()) document_.heading = std::move(title_);
    document_.text.erase(document_.text.find_last_not_of('\n') + 1);
    return std::move(document_);
  }

  void start(std::string_view name, const Attributes& attributes) {
    const Role role = role_of(name);
    const bool is_frame = role == Role::Frame && is_page_;
    if (hidden_ != 0 || is_frame || role == Role::Hidden || (attributes.is_hidden && role != Role::Heading)) {
      ++hidden_;
      return;
    }
    if (role != Role::Inline) begin_block(role);
    if (role == Role::Main) ++main_;
    if (role == Role::Preformatted) ++preformatted_;
    if (role == Role::Title) is_title_ = true;
    if (role == Role::Heading) begin_heading(name, attributes.id);
    const std::string_view anchor = attributes.id.empty() && name == "a" ? attributes.name : attributes.id;
    if (!anchor.empty() && role != Role::Heading) note_anchor(anchor);
  }

  void end(std::string_view name) {
    if (hidden_ != 0) {
      --hidden_;
      return;
    }
    const Role role = role_of(name);
    if (role == Role::Heading) end_heading();
    if (role == Role::Title) is_title_ = false;
    if (role == Role::Preformatted && preformatted_ > 0) --preformatted_;
    if (role == Role::Main && main_ > 0) --main_;
    if (role != Role::Inline) begin_block(role);
  }

  void characters(std::string_view text) {
    if (is_title_) return append_title(text);
    if (hidden_ != 0 || (needs_main_ && main_ == 0)) return;
    if (preformatted_ > 0 && !in_heading_) return append_code(text);
    while (!text.empty()) {
      const auto* const begin = std::find_if_not(text.begin(), text.end(), is_space);
      if (begin != text.begin()) has_space_ = true;
      const auto* const end = std::find_if(begin, text.end(), is_space);
      if (begin != end) append_word({begin, static_cast<std::size_t>(end - begin)});
      text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    }
  }

 private:
  void begin_block(Role role) {
    if (role == Role::Cell || (role == Role::Break && in_heading_))
      has_space_ = true;
    else
      has_break_ = true;
  }

  /// Ends the line or the word before the next text.
  void separate() {
    std::string& text = document_.text;
    if (!text.empty() && text.back() != '\n') {
      if (has_break_)
        text += '\n';
      else if (has_space_)
        text += ' ';
    }
    has_break_ = has_space_ = false;
  }
  void append_word(std::string_view word) {
    if (in_heading_) {
      if (heading_.empty())
        has_break_ = has_break_ || !document_.text.empty();
      else if (has_space_ || has_break_)
        heading_ += ' ', has_break_ = false, has_space_ = true;
    }
    separate();
    if (in_heading_ && heading_.empty()) begin_ = document_.text.size();
    if (in_heading_) heading_ += word;
    document_.text += word;
  }
  void append_code(std::string_view code) {
    if (has_break_) {
      // The first line feed of a block is not part of it.
      separate();
    }
    document_.text += code;
    has_space_ = false;
  }
  void append_title(std::string_view text) {
    for (const char c : text)
      if (!is_space(c) || (!title_.empty() && title_.back() != ' ')) title_ += is_space(c) ? ' ' : c;
  }

  void note_anchor(std::string_view anchor) {
    if (in_heading_) {
      if (heading_anchor_.empty()) heading_anchor_ = anchor;
      return;
    }
    anchor_ = anchor;
    anchor_at_ = document_.text.size();
  }
  void begin_heading(std::string_view name, std::string_view id) {
    in_heading_ = true;
    level_ = static_cast<std::uint32_t>(name[1] - '0');
    heading_.clear();
    heading_anchor_ = id;
    // The id of a section whose first text is the heading, or of an anchor before it.
    if (heading_anchor_.empty() && !anchor_.empty() && anchor_at_ == document_.text.size())
      heading_anchor_ = std::exchange(anchor_, {});
  }
  void end_heading() {
    if (!std::exchange(in_heading_, false) || heading_.empty()) return;
    if (document_.heading.empty()) document_.heading = heading_;
    if (std::any_of(heading_anchor_.begin(), heading_anchor_.end(), is_space)) heading_anchor_.clear();
    std::string anchor = heading_anchor_.empty() ? slug_of(heading_) : std::move(heading_anchor_);
    anchor = anchors_.add(anchor.empty() ? std::string("section") : std::move(anchor));
    if (level_ <= model::kMaxSectionLevel)
      document_.sections.push_back({level_, std::move(heading_), std::move(anchor), begin_});
    heading_.clear();
    heading_anchor_.clear();
  }

  const bool is_page_, needs_main_;
  model::Document document_;
  Anchors anchors_;
  std::size_t hidden_ = 0;  // number of open elements from the outermost one without text
  std::size_t main_ = 0, preformatted_ = 0;
  bool has_break_ = false, has_space_ = false, is_title_ = false;
  bool in_heading_ = false;
  std::uint32_t level_ = 0;
  std::string heading_, heading_anchor_, title_;
  std::size_t begin_ = 0;
  std::string anchor_;  // last id of an element that is not a heading
  std::size_t anchor_at_ = 0;
};

void on_start(void* writer, const xmlChar* name, const xmlChar** attributes) {
  static_cast<DocumentWriter*>(writer)->start(view_of(name), Attributes(attributes));
}
void on_end(void* writer, const xmlChar* name) { static_cast<DocumentWriter*>(writer)->end(view_of(name)); }
void on_characters(void* writer, const xmlChar* text, int length) {
  static_cast<DocumentWriter*>(writer)->characters(
      {reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)});
}

bool contains(std::string_view html, std::string_view tag) {
  const auto equal = [](char a, char b) { return ascii::to_lower(a) == b; };
  const auto found = std::search(html.begin(), html.end(), tag.begin(), tag.end(), equal);
  if (found == html.end()) return false;
  const auto end = found + static_cast<std::ptrdiff_t>(tag.size());
  return end == html.end() || *end == '>' || is_space(*end);
}

}  // namespace

bool is_html_page(std::string_view html) {
  const std::string_view start = html.substr(0, 4096);
  return contains(start, "<!doctype") || contains(start, "<html") || contains(start, "<body") ||
         contains(start, "<head");
}

model::Document html_document(std::string_view html) {
  const bool is_page = is_html_page(html);
  DocumentWriter writer(is_page, is_page && (contains(html, "<main") || contains(html, "<article")));
  htmlSAXHandler handler{};
  handler.startElement = on_start;
  handler.endElement = on_end;
  handler.characters = on_characters;
  handler.ignorableWhitespace = on_characters;
  handler.cdataBlock = on_characters;
  parse_html(html, handler, &writer);
  return std::move(writer).take();
}

}  // namespace kbase::markup
