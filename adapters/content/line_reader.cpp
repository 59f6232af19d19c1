// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/line_reader.hpp"

#include "adapters/content/json_text.hpp"

namespace kbase::content {

model::Result<bool> LineReader::next() {
  joined_.clear();
  too_long_ = false;
  for (bool begun = false;;) {
    if (const std::size_t end = rest_.find('\n'); end != std::string_view::npos) {
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (begun) {
        append(line_);
        line_ = joined_;
      }
      end_line();
      return true;
    }
    begun = begun || !rest_.empty();
    append(rest_);
    const auto chunk = stream_.next();
    if (!chunk) return chunk.error();
    rest_ = *chunk;
    if (rest_.empty()) {
      line_ = joined_;
      if (begun) end_line();
      return begun;
    }
  }
}

void LineReader::append(std::string_view part) {
  if (too_long_ || part.size() > most_bytes_ - joined_.size()) {
    too_long_ = true;
    joined_.clear();
  } else {
    joined_.append(part);
  }
}

void LineReader::end_line() {
  if (++number_ == 1 && line_.starts_with(kByteOrderMark)) line_.remove_prefix(kByteOrderMark.size());
  if (line_.ends_with('\r')) line_.remove_suffix(1);
}

}  // namespace kbase::content
