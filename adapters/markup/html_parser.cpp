// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/html_parser.hpp"

#include <libxml/parserInternals.h>

#include <limits>
#include <memory>

namespace kbase::markup {

void parse_html(std::string_view html, const htmlSAXHandler& handler, void* data) {
  if (html.empty() || html.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return;
  xmlInitParser();
  const std::unique_ptr<htmlParserCtxt, void (*)(htmlParserCtxtPtr)> parser(
      htmlCreateMemoryParserCtxt(html.data(), static_cast<int>(html.size())), htmlFreeParserCtxt);
  if (parser == nullptr) return;
  // The text is UTF-8 whatever it says of itself.
  htmlCtxtUseOptions(parser.get(), HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                       HTML_PARSE_IGNORE_ENC);
  xmlSwitchEncoding(parser.get(), XML_CHAR_ENCODING_UTF8);
  *parser->sax = handler;
  parser->userData = data;
  htmlParseDocument(parser.get());
}

}  // namespace kbase::markup
