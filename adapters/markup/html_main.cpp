// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/html_main.hpp"

#include <libxml/HTMLparser.h>
#include <libxml/HTMLtree.h>

#include <algorithm>
#include <array>
#include <memory>

#include "adapters/markup/html_addresses.hpp"
#include "adapters/markup/html_parser.hpp"

namespace kbase::markup {
namespace {

constexpr std::array<std::string_view, 9> kNeverContent = {"script", "style",  "noscript", "template", "form",
                                                           "iframe", "object", "button",   "svg"};
constexpr std::array<std::string_view, 4> kFrames = {"nav", "header", "footer", "aside"};

std::string_view name_of(const xmlNode* node) {
  return node->type == XML_ELEMENT_NODE ? view_of(node->name) : std::string_view();
}

bool contains(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the node after `node` in the order of the document below `root`; null: there is no next one. Without
/// recursion, because a page may nest its elements as deep as it likes.
xmlNode* after(xmlNode* node, const xmlNode* root) {
  while (node != root && node->next == nullptr) node = node->parent;
  return node == root ? nullptr : node->next;
}
xmlNode* next(xmlNode* node, const xmlNode* root) {
  return node->children != nullptr && node->type == XML_ELEMENT_NODE ? node->children : after(node, root);
}

xmlNode* find(xmlNode* root, std::string_view name) {
  for (xmlNode* node = root; node != nullptr; node = next(node, root))
    if (name_of(node) == name) return node;
  return nullptr;
}

using XmlText = std::unique_ptr<xmlChar, void (*)(void*)>;

const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

/// Returns the absolute address that an attribute of `node` means in a page at `base`; empty: it is missing, is a place
/// in the page, or is malformed.
std::string address_of(xmlNode* node, const char* attribute, const std::string& base) {
  const XmlText written(xmlGetProp(node, xml(attribute)), xmlFree);
  return !written || *written == '#' ? std::string() : absolute_address(view_of(written.get()), base);
}

void make_absolute(xmlNode* node, const char* attribute, const std::string& base) {
  if (const std::string absolute = address_of(node, attribute, base); !absolute.empty())
    xmlSetProp(node, xml(attribute), xml(absolute.c_str()));
}

/// Removes what is no content below `root`, and makes addresses absolute.
void clean(xmlNode* root, bool has_frames, const std::string& base) {
  for (xmlNode* node = root; node != nullptr;) {
    const std::string_view name = name_of(node);
    const bool is_comment = node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE;
    if (node != root && (is_comment || contains(kNeverContent, name) || (has_frames && contains(kFrames, name)))) {
      xmlNode* const following = after(node, root);
      xmlUnlinkNode(node);
      xmlFreeNode(node);
      node = following;
      continue;
    }
    if (!name.empty()) {
      make_absolute(node, "href", base);
      make_absolute(node, "src", base);
    }
    node = next(node, root);
  }
}

}  // namespace

std::string html_main_part(std::string_view html, std::string_view address) {
  const HtmlTree tree = parse_html_tree(html);
  xmlNode* const root = tree ? xmlDocGetRootElement(tree.get()) : nullptr;
  if (root == nullptr) return std::string(html);
  xmlNode* part = find(root, "main");
  if (part == nullptr) part = find(root, "article");
  const bool is_body = part == nullptr;
  if (is_body) part = find(root, "body");
  if (part == nullptr) return std::string(html);

  const std::string own(address);
  xmlNode* const element = find(root, "base");
  const std::string base = element == nullptr ? std::string() : address_of(element, "href", own);
  clean(part, is_body, base.empty() ? own : base);
  const std::unique_ptr<xmlOutputBuffer, int (*)(xmlOutputBuffer*)> output(xmlAllocOutputBuffer(nullptr),
                                                                           xmlOutputBufferClose);
  if (!output) return std::string(html);
  constexpr int kUnformatted = 0;
  for (xmlNode* child = part->children; child != nullptr; child = child->next)
    htmlNodeDumpFormatOutput(output.get(), tree.get(), child, nullptr, kUnformatted);
  return {reinterpret_cast<const char*>(xmlOutputBufferGetContent(output.get())), xmlOutputBufferGetSize(output.get())};
}

}  // namespace kbase::markup
