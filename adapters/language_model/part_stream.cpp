// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/part_stream.hpp"

#include <utility>

#include "adapters/language_model/api_error.hpp"
#include "domain/base/result.hpp"

namespace kbase::language_model {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<bool> ResponseLines::next() {
  joined_.clear();
  while (true) {
    skip_line_feed();
    if (read_line()) return true;
    KBASE_TRY(buffer_rest());
    const auto got = KBASE_TRY(response_.read(buffer_));
    rest_ = {buffer_.data(), got};
    if (got > 0) continue;
    line_ = joined_;
    return !line_.empty();
  }
}

void ResponseLines::skip_line_feed() {
  if (rest_.empty() || !std::exchange(ended_with_cr_, false)) return;
  if (rest_.front() == '\n') rest_.remove_prefix(1);
}

bool ResponseLines::read_line() {
  const std::size_t end = rest_.find_first_of("\r\n");
  if (end == std::string_view::npos) return false;
  line_ = rest_.substr(0, end);
  if (!joined_.empty()) line_ = joined_.append(line_);
  ended_with_cr_ = rest_[end] == '\r';
  rest_.remove_prefix(end + 1);
  if (std::exchange(is_first_, false) && line_.starts_with(kByteOrderMark)) line_.remove_prefix(kByteOrderMark.size());
  return true;
}

Status ResponseLines::buffer_rest() {
  if (joined_.size() + rest_.size() > kMaxLineBytes)
    return invalid_response("a line of the stream has more than " + std::to_string(kMaxLineBytes) + " bytes");
  joined_.append(std::exchange(rest_, {}));
  return {};
}

Result<bool> PartStream::next_event() {
  data_.clear();
  has_data_ = false;
  while (true) {
    const auto found = lines_.next();
    if (!found || !*found) return found;
    if (!lines_.line().empty()) {
      KBASE_TRY(read_field(lines_.line()));
    } else if (has_data_) {
      part_ = data_;
      return true;
    }
  }
}

Status PartStream::read_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (line.substr(0, colon) != "data") return {};
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (data_.size() + value.size() > kMaxLineBytes)
    return invalid_response("an event of the stream has more than " + std::to_string(kMaxLineBytes) + " bytes");
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
  return {};
}

Result<bool> PartStream::next_line() {
  while (true) {
    const auto found = lines_.next();
    if (!found || !*found) return found;
    part_ = lines_.line();
    if (part_.find_first_not_of(" \t") != std::string_view::npos) return true;
  }
}

}  // namespace kbase::language_model
