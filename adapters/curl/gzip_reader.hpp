// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "domain/model/result.hpp"

struct z_stream_s;

namespace kbase::curl {

/// Unpacks gzip (RFC 1952), one or several members, as far as the reader asks: a small input that would become a huge
/// output costs no more than what is read of it. One thread.
class GzipReader {
 public:
  GzipReader();

  /// Unpacks from the front of `packed`, and takes what it used off it, into `buffer`; returns how many bytes that
  /// were. 0: it needs more. BadUpstream: this is no gzip.
  model::Result<std::size_t> read(std::string_view& packed, std::span<char> buffer);

  /// Whether what was read so far is a whole number of members, or nothing at all.
  bool is_whole() const noexcept { return is_whole_; }

 private:
  struct End {
    void operator()(z_stream_s* stream) const noexcept;
  };

  std::unique_ptr<z_stream_s, End> stream_;
  bool is_whole_ = true;
};

}  // namespace kbase::curl
