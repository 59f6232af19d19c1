// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/html_elements.hpp"

#include <algorithm>
#include <array>

#include "adapters/markup/html_parser.hpp"

namespace kbase::markup {
namespace {

constexpr auto npos = std::string_view::npos;

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

}  // namespace

Role role_of(std::string_view name) {
  const auto* const found =
      std::lower_bound(kRoles.begin(), kRoles.end(), name,
                       [](const Element& each, std::string_view wanted) { return each.name < wanted; });
  return found != kRoles.end() && found->name == name ? found->role : Role::Inline;
}

Attributes read_attributes(const xmlChar** list) {
  Attributes attributes;
  std::string_view classes, role;
  for (; list != nullptr && list[0] != nullptr; list += 2) {
    const std::string_view key = view_of(list[0]), value = view_of(list[1]);
    if (key == "id") attributes.id = value;
    if (key == "name") attributes.name = value;
    if (key == "class") classes = value;
    if (key == "role") role = value;
    if (key == "hidden" || (key == "aria-hidden" && value == "true") || key == "data-pagefind-ignore")
      attributes.is_hidden = true;
  }
  if (role == "navigation" || role == "search") attributes.is_hidden = true;
  if (!classes.empty())
    attributes.is_hidden =
        attributes.is_hidden || std::any_of(kHiddenClasses.begin(), kHiddenClasses.end(),
                                            [&](std::string_view each) { return has_word(classes, each); });
  return attributes;
}

}  // namespace kbase::markup
