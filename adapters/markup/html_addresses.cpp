// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/html_addresses.hpp"

#include <libxml/uri.h>

#include <memory>

#include "adapters/markup/html_parser.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

using XmlText = std::unique_ptr<xmlChar, void (*)(void*)>;

const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

}  // namespace

std::string absolute_address(std::string_view written, const std::string& base) {
  const std::string trimmed(utf8::trimmed(written));
  const XmlText escaped(xmlURIEscapeStr(xml(trimmed.c_str()), xml("%;/?:@&=+$,#[]!*'()")), xmlFree);
  if (!escaped) return {};
  const XmlText absolute(xmlBuildURI(escaped.get(), xml(base.c_str())), xmlFree);
  return std::string(view_of(absolute.get()));
}

}  // namespace kbase::markup
