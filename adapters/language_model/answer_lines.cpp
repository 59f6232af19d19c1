// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/answer_lines.hpp"

#include <utility>

#include "adapters/language_model/complaint.hpp"

namespace kbase::language_model {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

model::Result<bool> AnswerLines::next() {
  joined_.clear();
  while (true) {
    skip_second_half();
    if (take_line()) return true;
    if (auto kept = keep_rest(); !kept) return kept.error();
    const auto got = answer_.read(buffer_);
    if (!got) return got.error();
    rest_ = {buffer_.data(), *got};
    if (*got > 0) continue;
    line_ = joined_;
    return !line_.empty();
  }
}

void AnswerLines::skip_second_half() {
  if (rest_.empty() || !std::exchange(ended_with_cr_, false)) return;
  if (rest_.front() == '\n') rest_.remove_prefix(1);
}

bool AnswerLines::take_line() {
  const std::size_t end = rest_.find_first_of("\r\n");
  if (end == std::string_view::npos) return false;
  line_ = rest_.substr(0, end);
  if (!joined_.empty()) line_ = joined_.append(line_);
  ended_with_cr_ = rest_[end] == '\r';
  rest_.remove_prefix(end + 1);
  if (std::exchange(is_first_, false) && line_.starts_with(kByteOrderMark)) line_.remove_prefix(kByteOrderMark.size());
  return true;
}

model::Status AnswerLines::keep_rest() {
  if (joined_.size() + rest_.size() > kMaxLineBytes)
    return nonsense("a line of its stream has more than " + std::to_string(kMaxLineBytes) + " bytes");
  joined_.append(std::exchange(rest_, {}));
  return {};
}

}  // namespace kbase::language_model
