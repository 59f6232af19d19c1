// SPDX-License-Identifier: Apache-2.0
// Any bytes are a sitemap, a robots.txt, an address, or a page in some encoding, or are rejected with a reason.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "adapters/markup/library_markup.hpp"
#include "adapters/web/charset.hpp"
#include "adapters/web/robots.hpp"
#include "adapters/web/sitemap.hpp"
#include "adapters/web/web_address.hpp"
#include "domain/base/text.hpp"

namespace kbase::web {
namespace {

void check_address(std::string_view text) {
  const auto address = parse_address(text);
  if (!address) return;
  if (!address->path.starts_with('/') || !utf8::is_valid(page_path(*address))) std::abort();
  const auto again = parse_address(address->text());
  if (!again || again->text() != address->text()) std::abort();
  const auto same = resolve(*address, address->target());
  if (same && same->origin.empty()) std::abort();
}

}  // namespace
}  // namespace kbase::web

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 5) {
    case 0: {
      const auto sitemap = web::parse_sitemap(text);
      if (const auto* defect = std::get_if<web::SitemapDefect>(&sitemap); defect != nullptr && defect->reason.empty())
        std::abort();
      break;
    }
    case 1: {
      const std::size_t line = text.find('\n');
      (void)web::Robots(text.substr(std::min(line, text.size())), "kbase").allows(text.substr(0, line));
      break;
    }
    case 2: web::check_address(text); break;
    case 3: {
      const std::size_t line = std::min(text.find('\n'), text.size());
      (void)web::to_utf8(std::string(text.substr(line)), text.substr(0, line));
      break;
    }
    default:
      if (utf8::is_valid(text) &&
          !utf8::is_valid(markup::LibraryMarkup().main_part(text, "https://docs.example.org/a/b")))
        std::abort();
  }
  return 0;
}
