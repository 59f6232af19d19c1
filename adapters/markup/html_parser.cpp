// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/html_parser.hpp"

#include <libxml/parserInternals.h>

#include <limits>
#include <memory>

namespace kbase::markup {

namespace {

using Parser = std::unique_ptr<htmlParserCtxt, void (*)(htmlParserCtxtPtr)>;

/// Returns a parser of the text; null: there is no text to parse.
Parser make_parser(std::string_view html) {
  if (html.empty() || html.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return {nullptr, htmlFreeParserCtxt};
  xmlInitParser();
  xmlSetStructuredErrorFunc(nullptr, [](void*, xmlErrorPtr) {});  // in this thread, nothing on standard error
  Parser parser(htmlCreateMemoryParserCtxt(html.data(), static_cast<int>(html.size())), htmlFreeParserCtxt);
  if (parser == nullptr) return parser;
  // The text is UTF-8 whatever it says of itself.
  htmlCtxtUseOptions(parser.get(), HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                       HTML_PARSE_IGNORE_ENC);
  xmlSwitchEncoding(parser.get(), XML_CHAR_ENCODING_UTF8);
  return parser;
}

}  // namespace

void parse_html(std::string_view html, const htmlSAXHandler& handler, void* data) {
  const Parser parser = make_parser(html);
  if (parser == nullptr) return;
  *parser->sax = handler;
  parser->userData = data;
  htmlParseDocument(parser.get());
}

HtmlTree parse_html_tree(std::string_view html) {
  const Parser parser = make_parser(html);
  if (parser == nullptr) return nullptr;
  parser->options |= XML_PARSE_HUGE;  // elements may be nested deeper than 256
  htmlParseDocument(parser.get());
  return HtmlTree(parser->myDoc);
}

}  // namespace kbase::markup
