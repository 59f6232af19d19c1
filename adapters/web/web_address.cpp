// SPDX-License-Identifier: Apache-2.0
#include "adapters/web/web_address.hpp"

#include <libxml/uri.h>

#include <algorithm>
#include <memory>

#include "adapters/content/file_tree.hpp"
#include "adapters/content/folder_source.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::web {
namespace {

constexpr std::size_t kMaxBytes = 4096;

struct UriDeleter {
  void operator()(xmlURI* uri) const { xmlFreeURI(uri); }
};
using Uri = std::unique_ptr<xmlURI, UriDeleter>;

std::string_view view_of(const char* text) { return text == nullptr ? std::string_view() : text; }

/// Escapes what authors write in addresses although RFC 3986 does not allow it.
std::string escaped(std::string_view text) {
  std::string plain;
  for (const char c : utf8::trimmed(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos)
      append_percent_escape(plain, byte);
    else
      plain += c;
  }
  return plain;
}

std::optional<Address> parse_escaped(const std::string& text) {
  if (text.size() > kMaxBytes) return std::nullopt;
  constexpr int kRaw = 1;  // percent escapes stay
  const Uri uri(xmlParseURIRaw(text.c_str(), kRaw));
  if (!uri || uri->server == nullptr || view_of(uri->server).empty() || uri->user != nullptr) return std::nullopt;
  const std::string scheme = ascii::to_lower(view_of(uri->scheme));
  if (scheme != "http" && scheme != "https") return std::nullopt;
  if (uri->path != nullptr) xmlNormalizeURIPath(uri->path);
  Address address;
  address.origin = scheme + "://" + ascii::to_lower(view_of(uri->server));
  const int default_port = scheme == "http" ? 80 : 443;
  if (uri->port > 0 && uri->port != default_port) address.origin += ':' + std::to_string(uri->port);
  address.path = view_of(uri->path);
  if (address.path.empty()) address.path = "/";
  address.query = view_of(uri->query_raw);
  return address;
}

/// Decodes percent escapes. The result is `text` itself if it would not be valid text.
std::string decoded(const std::string& text) {
  std::string plain = percent_decoded(text);
  return utf8::is_valid(plain) && !utf8::has_control(plain) ? plain : text;
}

}  // namespace

bool is_address(std::string_view text) {
  const std::string start = ascii::to_lower(text.substr(0, 8));
  return start.starts_with("http://") || start == "https://";
}

std::optional<Address> parse_address(std::string_view text) { return parse_escaped(escaped(text)); }

std::optional<Address> resolve(const Address& base, std::string_view reference) {
  const std::string text = base.text(), relative = escaped(reference);
  if (relative.size() > kMaxBytes) return std::nullopt;
  const std::unique_ptr<xmlChar, void (*)(void*)> joined(
      xmlBuildURI(reinterpret_cast<const xmlChar*>(relative.c_str()), reinterpret_cast<const xmlChar*>(text.c_str())),
      xmlFree);
  if (!joined) return std::nullopt;
  return parse_escaped(reinterpret_cast<const char*>(joined.get()));
}

std::string page_path(const Address& address) {
  const std::size_t begin = std::min(address.path.find_first_not_of('/'), address.path.size());
  std::string path = decoded(address.path.substr(begin));
  while (path.ends_with('/')) path.pop_back();
  const std::string name(model::path_name(path));
  if (content::is_page_ending(content::ending_of(name)))
    path.resize(path.size() - name.size() + content::stem_of(name).size());
  const std::string key = model::page_key(path);
  return address.query.empty() ? key : key + '?' + decoded(address.query);
}

}  // namespace kbase::web
