// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/gzip_reader.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

namespace kbase::curl {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // zlib's inflateInit2: gzip headers only

uInt count_of(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

model::Error unreadable(const z_stream& stream) {
  const char* const why = stream.msg != nullptr ? stream.msg : "it ends too early";
  return {model::ErrorCode::BadUpstream,
          "The external service's answer can't be unpacked.",
          std::string("gzip: ") + why,
          {},
          {}};
}

}  // namespace

void GzipReader::End::operator()(z_stream_s* stream) const noexcept {
  inflateEnd(stream);
  delete stream;
}

GzipReader::GzipReader() : stream_(new z_stream_s{}) {
  if (inflateInit2(stream_.get(), kGzipOnly) != Z_OK) throw std::bad_alloc();
}

model::Result<std::size_t> GzipReader::read(std::string_view& packed, std::span<char> buffer) {
  // zlib may hold output for which the last buffer had no space, so it is called at least once, even without input.
  for (bool is_asked = false; !is_asked || !packed.empty(); is_asked = true) {
    const uInt given = count_of(packed.size());
    const uInt room = count_of(buffer.size());
    // zlib's interface uses neither const nor char. It only reads next_in and only writes next_out.
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_->avail_in = given;
    stream_->next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_->avail_out = room;
    int code = inflate(stream_.get(), Z_NO_FLUSH);
    packed.remove_prefix(given - stream_->avail_in);
    if (code == Z_BUF_ERROR) break;  // no more output without input
    is_whole_ = code == Z_STREAM_END;
    if (is_whole_) code = inflateReset(stream_.get());
    if (code != Z_OK) return unreadable(*stream_);
    if (stream_->avail_out < room) return room - stream_->avail_out;
  }
  return std::size_t{0};
}

}  // namespace kbase::curl
