// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/static_content.hpp"

#include <zlib.h>

#include <array>
#include <utility>

#include "adapters/http/negotiation.hpp"

namespace kbase::http {
namespace {

constexpr int kFastest = 1, kSmallest = 9;
constexpr int kGzipWindow = 15 + 16;  // zlib: +16 selects the gzip format
constexpr int kMemoryLevel = 8;

std::string_view find_content_type(std::string_view path) {
  using Type = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Type, 6> kTypes = {{{".html", "text/html; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".svg", "image/svg+xml"},
                                           {".png", "image/png"},
                                           {".txt", "text/plain; charset=utf-8"}}};
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

/// Returns the path under which a file is served: index.html is served as its directory.
std::string_view served_path(std::string_view path) {
  constexpr std::string_view kIndex = "/index.html";
  return path.ends_with(kIndex) ? path.substr(0, path.size() - kIndex.size()) : path;
}

}  // namespace

std::optional<std::string> gzip(std::string_view text, Compression compression) {
  z_stream stream{};
  const int level = compression == Compression::Small ? kSmallest : kFastest;
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    return std::nullopt;
  std::string gzip_body(text.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(gzip_body.data());
  stream.avail_out = static_cast<uInt>(gzip_body.size());
  const int outcome = deflate(&stream, Z_FINISH);
  gzip_body.resize(stream.total_out);
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) return std::nullopt;
  return gzip_body;
}

PreparedBody prepare_body(std::string_view content_type, std::string_view name, std::string body) {
  PreparedBody prepared;
  prepared.content_type = content_type;
  prepared.gzip_body = gzip(body, Compression::Small).value_or(std::string());
  prepared.entity_tag = make_entity_tag(name, {}, body);
  prepared.body = std::move(body);
  return prepared;
}

Site::Site(std::vector<SiteFile> files) {
  for (SiteFile& file : files) {
    PreparedBody prepared = prepare_body(find_content_type(file.path), file.path, std::move(file.bytes));
    prepared.is_immutable = file.is_immutable;
    pages_.insert_or_assign(std::string(served_path(file.path)), std::move(prepared));
  }
}

const PreparedBody* Site::find(std::string_view path) const {
  if (path.ends_with('/')) path.remove_suffix(1);
  const auto found = pages_.find(path);
  return found == pages_.end() ? nullptr : &found->second;
}

}  // namespace kbase::http
