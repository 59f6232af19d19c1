// SPDX-License-Identifier: Apache-2.0
#include "adapters/web/sitemap.hpp"

#include <limits>

#include "adapters/content/dates.hpp"
#include "adapters/content/xml_reader.hpp"
#include "domain/base/text.hpp"

namespace kbase::web {
namespace {

/// Collects the entries: `<url>` or `<sitemap>` in the root, with `<loc>` and `<lastmod>` in them. Elements of other
/// name spaces, such as `<image:loc>`, are deeper.
class EntryReader {
 public:
  explicit EntryReader(Sitemap& sitemap) : sitemap_(sitemap) {}

  void visit(const content::XmlReader& reader) {
    const int depth = xmlTextReaderDepth(reader.get());
    switch (xmlTextReaderNodeType(reader.get())) {
      case XML_READER_TYPE_ELEMENT:
        if (depth == 1) sitemap_.entries.emplace_back();
        if (depth == 2) member_ = content::element_name(reader);
        break;
      case XML_READER_TYPE_TEXT:
      case XML_READER_TYPE_CDATA:
        if (depth == 3) add(reinterpret_cast<const char*>(xmlTextReaderConstValue(reader.get())));
        break;
      default: break;
    }
  }

 private:
  void add(std::string_view text) {
    Sitemap::Entry& entry = sitemap_.entries.back();
    if (member_ == "loc") entry.address += utf8::trimmed(text);
    if (member_ == "lastmod") entry.modified = content::parse_any_date(utf8::trimmed(text));
  }

  Sitemap& sitemap_;
  std::string member_;
};

}  // namespace

bool is_xml(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with("<?xml") || text.starts_with("<urlset") || text.starts_with("<sitemapindex");
}

std::variant<Sitemap, SitemapDefect> parse_sitemap(std::string_view text) {
  content::silence_xml_errors();
  content::XmlReader reader;
  if (text.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()))
    reader.reset(
        xmlReaderForMemory(text.data(), static_cast<int>(text.size()), nullptr, nullptr, content::kXmlOptions));
  if (!reader) return SitemapDefect{0, "cannot be read as XML"};
  Sitemap sitemap;
  EntryReader entries(sitemap);
  bool has_root = false;
  int outcome = 1;
  while ((outcome = xmlTextReaderRead(reader.get())) == 1) {
    if (!has_root && xmlTextReaderNodeType(reader.get()) == XML_READER_TYPE_ELEMENT) {
      const std::string_view root = content::element_name(reader);
      sitemap.is_index = root == "sitemapindex";
      if (!sitemap.is_index && root != "urlset")
        return SitemapDefect{0, "is neither a page nor a sitemap: its first element is <" + std::string(root) +
                                    ">, not <urlset> or <sitemapindex>"};
      has_root = true;
    }
    if (has_root) entries.visit(reader);
  }
  if (outcome < 0) return SitemapDefect{content::parser_line(reader), "the sitemap is not well-formed XML"};
  return sitemap;
}

}  // namespace kbase::web
