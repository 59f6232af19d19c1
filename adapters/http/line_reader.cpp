// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/line_reader.hpp"

#include <algorithm>

namespace kbase::http {

LineReader::Outcome LineReader::read(std::string_view& bytes, std::string& text, std::size_t limit) {
  // The two bytes above the limit are for CR LF, so a line is refused at the first byte that makes it too long.
  const std::size_t room = limit + 2 - (text.size() - start_);
  const std::size_t end = bytes.substr(0, room).find('\n');
  const bool ended = end != std::string_view::npos;
  const std::size_t taken = ended ? end + 1 : std::min(bytes.size(), room);
  text.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);

  const std::size_t cr = text.find('\r', scanned_);
  const bool has_cr = cr != std::string::npos;
  const std::size_t line_end = has_cr ? cr : text.size() - (ended ? 1 : 0);
  // Check the length before anything else, so that the outcome does not depend on how the bytes were split.
  if (line_end - start_ > limit) return Outcome::TooLong;
  if (ended ? !has_cr || cr + 2 != text.size() : has_cr && cr + 1 != text.size()) return Outcome::Malformed;
  scanned_ = line_end;
  if (!ended) return Outcome::More;
  size_ = line_end - start_;
  return Outcome::Line;
}

}  // namespace kbase::http
