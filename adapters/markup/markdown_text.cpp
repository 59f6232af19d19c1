// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/markdown_text.hpp"

#include <md4c-html.h>
#include <md4c.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "adapters/markup/document_writer.hpp"
#include "adapters/markup/html_text.hpp"

namespace kbase::markup {
namespace {

constexpr int kContinue = 0;
constexpr int kNeedsHtml = -1;  // md4c does not pass on a positive result of a callback everywhere

/// Whether `text` has only characters that HTML may have. libxml2 leaves out the others: control characters, U+FFFE and
/// U+FFFF.
bool is_text(std::string_view text) {
  const auto is_control = [](char c) { return c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r'; };
  return std::none_of(text.begin(), text.end(), is_control) && text.find("\xEF\xBF\xBE") == std::string_view::npos &&
         text.find("\xEF\xBF\xBF") == std::string_view::npos;
}

/// Returns the character of a frequent entity; empty: it is another one.
std::string_view character_of(std::string_view entity) {
  constexpr std::array<std::array<std::string_view, 2>, 4> kCharacters = {
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}}};
  const auto* const found =
      std::find_if(kCharacters.begin(), kCharacters.end(), [&](const auto& each) { return each[0] == entity; });
  return found == kCharacters.end() ? std::string_view() : (*found)[1];
}

enum class Tag { Inline, Break, Other };

/// Returns what a tag of HTML is. Inline: its name and attributes say nothing of the text.
Tag kind_of(std::string_view tag) {
  if (tag.size() < 3 || !tag.starts_with('<') || !tag.ends_with('>')) return Tag::Other;
  tag = tag.substr(1, tag.size() - 2);
  if (tag == "br" || tag == "br/" || tag == "br /") return Tag::Break;
  constexpr std::string_view kLink = "a href=\"";
  if (tag.starts_with(kLink) && tag.find('"', kLink.size()) == tag.size() - 1) return Tag::Inline;
  if (tag.starts_with('/')) tag.remove_prefix(1);
  constexpr std::array<std::string_view, 14> kInline = {"a",    "b",     "code", "em",     "i",   "kbd", "s",
                                                        "samp", "small", "span", "strong", "sub", "sup", "u"};
  return std::find(kInline.begin(), kInline.end(), tag) != kInline.end() ? Tag::Inline : Tag::Other;
}

/// Passes the blocks, spans and texts of md4c to a writer, as the elements that md4c would write in HTML.
class Elements {
 public:
  static int enter_block(MD_BLOCKTYPE type, void* detail, void* self) {
    return static_cast<Elements*>(self)->begin(type, detail);
  }
  static int leave_block(MD_BLOCKTYPE type, void*, void* self) {
    static_cast<Elements*>(self)->end(type);
    return kContinue;
  }
  // md4c's HTML and its events differ where pictures are within pictures.
  static int enter_span(MD_SPANTYPE type, void*, void* self) {
    if (type != MD_SPAN_IMG) return kContinue;
    return std::exchange(static_cast<Elements*>(self)->is_picture_, true) ? kNeedsHtml : kContinue;
  }
  static int leave_span(MD_SPANTYPE type, void*, void* self) {
    if (type != MD_SPAN_IMG) return kContinue;
    return std::exchange(static_cast<Elements*>(self)->is_picture_, false) ? kContinue : kNeedsHtml;
  }
  static int text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
    return static_cast<Elements*>(self)->add(type, {text, size});
  }

  model::Document take() && { return std::move(writer_).take(); }

 private:
  static Role role_of(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_HR: return Role::Break;
      case MD_BLOCK_H: return Role::Heading;
      case MD_BLOCK_CODE: return Role::Preformatted;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD: return Role::Cell;
      case MD_BLOCK_DOC: return Role::Inline;
      default: return Role::Block;
    }
  }

  int begin(MD_BLOCKTYPE type, void* detail) {
    if (type == MD_BLOCK_HTML) return kNeedsHtml;
    std::string_view name;
    if (type == MD_BLOCK_H) {
      constexpr std::array<std::string_view, 6> kNames = {"h1", "h2", "h3", "h4", "h5", "h6"};
      name = kNames[static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level - 1];
    }
    writer_.start(role_of(type), name, {});
    return kContinue;
  }
  void end(MD_BLOCKTYPE type) { writer_.end(role_of(type)); }

  int add(MD_TEXTTYPE type, std::string_view text) {
    if (!is_text(text)) return kNeedsHtml;
    if (type == MD_TEXT_HTML) return add_tag(kind_of(text));
    if (type == MD_TEXT_ENTITY) text = character_of(text);
    if (type == MD_TEXT_ENTITY && text.empty()) return kNeedsHtml;
    if (is_picture_) return kContinue;  // the text of a picture is no text of the page
    switch (type) {
      case MD_TEXT_BR: add_break(); break;
      case MD_TEXT_SOFTBR: writer_.characters("\n"); break;
      case MD_TEXT_NULLCHAR: writer_.characters("\xEF\xBF\xBD"); break;
      default: writer_.characters(text); break;
    }
    return kContinue;
  }

  int add_tag(Tag tag) {
    if (tag == Tag::Other || is_picture_) return kNeedsHtml;
    if (tag == Tag::Break) add_break();
    return kContinue;
  }
  void add_break() {
    writer_.start(Role::Break, "br", {});
    writer_.end(Role::Break);
  }

  DocumentWriter writer_{false, false};
  bool is_picture_ = false;  // the text is that of a picture
};

unsigned flags_of(const PlainMarkdown& markdown) {
  return MD_DIALECT_GITHUB | (markdown.is_mdx ? MD_FLAG_NOINDENTEDCODEBLOCKS : 0U);
}

bool is_too_long(const PlainMarkdown& markdown) { return markdown.text.size() > std::numeric_limits<MD_SIZE>::max(); }

void append(const MD_CHAR* text, MD_SIZE size, void* html) { static_cast<std::string*>(html)->append(text, size); }

}  // namespace

model::Document markdown_document(const PlainMarkdown& markdown) {
  if (is_too_long(markdown)) return {};
  Elements elements;
  const MD_PARSER parser{0,
                         flags_of(markdown),
                         Elements::enter_block,
                         Elements::leave_block,
                         Elements::enter_span,
                         Elements::leave_span,
                         Elements::text,
                         nullptr,
                         nullptr};
  if (md_parse(markdown.text.data(), static_cast<MD_SIZE>(markdown.text.size()), &parser, &elements) == kContinue)
    return std::move(elements).take();
  return markdown_document_by_html(markdown);
}

std::string markdown_html(const PlainMarkdown& markdown) {
  std::string html;
  if (is_too_long(markdown)) return html;
  html.reserve(markdown.text.size() + markdown.text.size() / 4);
  md_html(markdown.text.data(), static_cast<MD_SIZE>(markdown.text.size()), append, &html, flags_of(markdown), 0);
  return html;
}

model::Document markdown_document_by_html(const PlainMarkdown& markdown) {
  return html_document(markdown_html(markdown));
}

}  // namespace kbase::markup
