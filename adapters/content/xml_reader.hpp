// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libxml/xmlreader.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kbase::content {

struct XmlReaderDeleter {
  void operator()(xmlTextReader* reader) const { xmlFreeTextReader(reader); }
};
/// Reads XML element by element. Entities are not expanded, and nothing is loaded.
using XmlReader = std::unique_ptr<xmlTextReader, XmlReaderDeleter>;

inline constexpr int kXmlOptions = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_COMPACT;

/// Keeps libxml2 from writing to standard error in this thread. It does so for errors of an encoding, whatever the
/// options of a reader say.
inline void silence_xml_errors() {
  xmlSetStructuredErrorFunc(nullptr, [](void*, xmlErrorPtr) {});
}

inline std::string_view element_name(const XmlReader& reader) {
  return reinterpret_cast<const char*>(xmlTextReaderConstLocalName(reader.get()));
}

/// The line that the parser has reached; 0: unknown.
inline std::uint64_t parser_line(const XmlReader& reader) {
  return static_cast<std::uint64_t>(std::max(xmlTextReaderGetParserLineNumber(reader.get()), 0));
}

}  // namespace kbase::content
