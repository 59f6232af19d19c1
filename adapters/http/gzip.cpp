// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/gzip.hpp"

#include <zlib.h>

namespace kbase::http {
namespace {

constexpr int kFastest = 1, kSmallest = 9;
constexpr int kGzipWindow = 15 + 16;  // zlib: +16 selects the gzip format
constexpr int kMemoryLevel = 8;

}  // namespace

std::optional<std::string> gzip(std::string_view text, Compression compression) {
  z_stream stream{};
  const int level = compression == Compression::Small ? kSmallest : kFastest;
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    return std::nullopt;
  std::string packed(text.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int outcome = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) return std::nullopt;
  return packed;
}

}  // namespace kbase::http
