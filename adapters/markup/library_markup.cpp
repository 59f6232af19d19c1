// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/library_markup.hpp"

#include <algorithm>
#include <utility>

#include "adapters/markup/html_main.hpp"
#include "adapters/markup/html_page.hpp"
#include "adapters/markup/html_text.hpp"
#include "adapters/markup/liquid.hpp"
#include "adapters/markup/markdown_text.hpp"
#include "adapters/markup/plain_markdown.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

/// Characters with which Markdown within a line begins. An underscore is not one of them: in titles it belongs to names
/// (`__init__`).
constexpr std::string_view kMarks = "`[<&\\{*!~=^+:(";

bool is_plain(std::string_view text) {
  return text.find_first_of(kMarks) == std::string_view::npos && text.find('\n') == std::string_view::npos;
}

/// Returns the text such that no character of it begins a block or emphasis by underscores.
std::string as_inline(std::string_view text) {
  text = utf8::trimmed(text);
  std::string escaped;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits != 0 && digits < text.size() && (text[digits] == '.' || text[digits] == ')')) {
    escaped.append(text.substr(0, digits)).append("\\");
    text.remove_prefix(digits);
  } else if (!text.empty() && std::string_view("#>-+=|").find(text.front()) != std::string_view::npos) {
    escaped += '\\';
  }
  const bool has_code = text.find('`') != std::string_view::npos;
  for (const char c : text) {
    if (c == '_' && !has_code) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

/// Returns the text without a byte order mark.
std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

}  // namespace

model::Document LibraryMarkup::document(std::string_view content, model::Format format) const {
  content = without_mark(content);
  if (format == model::Format::Text) return {std::string(content), {}, {}};
  if (format == model::Format::Html) return html_document(without_liquid(content));
  return markdown_document(plain_markdown(content));
}

std::string LibraryMarkup::html(std::string_view content, model::Format format,
                                const ports::PageOptions& options) const {
  content = without_mark(content);
  if (format == model::Format::Text) return "<pre class=\"text\">" + escape_html(content) + "</pre>";
  if (format == model::Format::Html) return safe_html(without_liquid(content), options);
  return safe_html(markdown_html(plain_markdown(content, Callouts::AsBlocks)), options);
}

model::PageHead LibraryMarkup::head(std::string_view html) const { return html_head(html); }

std::string LibraryMarkup::main_part(std::string_view html, std::string_view address) const {
  return html_main_part(html, address);
}

std::string LibraryMarkup::line(std::string_view markdown) const {
  std::string text = is_plain(markdown) ? std::string(utf8::trimmed(markdown))
                                        : markdown_document(plain_markdown(as_inline(markdown))).text;
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; };
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

}  // namespace kbase::markup
