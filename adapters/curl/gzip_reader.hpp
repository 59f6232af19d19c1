// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "domain/model/result.hpp"

struct z_stream_s;

namespace kbase::curl {

/// Decompresses gzip (RFC 1952), one or several members, only as far as the caller reads. So a small input that expands
/// to a huge output uses no extra memory. Not thread-safe.
class GzipReader {
 public:
  GzipReader();

  /// Decompresses from the front of `packed` into `buffer` and removes the used bytes from `packed`. Returns the number
  /// of bytes written; 0: more input is needed. BadUpstream: the input is not valid gzip.
  model::Result<std::size_t> read(std::string_view& packed, std::span<char> buffer);

  /// Whether the input so far is empty or ends at the end of a gzip member.
  bool is_whole() const noexcept { return is_whole_; }

 private:
  struct End {
    void operator()(z_stream_s* stream) const noexcept;
  };

  std::unique_ptr<z_stream_s, End> stream_;
  bool is_whole_ = true;
};

}  // namespace kbase::curl
