// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/part_stream.hpp"

#include <algorithm>
#include <utility>

#include "adapters/language_model/api_error.hpp"
#include "domain/base/result.hpp"
#include "domain/base/text.hpp"

namespace kbase::language_model {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Returns the length of the sequence that a lead byte starts; 0: it is not a lead byte.
std::size_t expected_length(char lead) noexcept {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte >= 0xC2 && byte <= 0xDF) return 2;
  if (byte >= 0xE0 && byte <= 0xEF) return 3;
  return byte >= 0xF0 && byte <= 0xF4 ? 4 : 0;
}

/// Whether more bytes can complete a character of `text`.
bool is_incomplete_character(std::string_view text) noexcept {
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  return text.size() < expected_length(text.front()) && std::all_of(text.begin() + 1, text.end(), is_continuation);
}

constexpr std::size_t kHalfPairBytes = 3;
constexpr std::uint32_t kFirstHigh = 0xD800, kFirstLow = 0xDC00, kEnd = 0xE000;

/// Returns the half of a surrogate pair at the start of `text`, in its three bytes; 0: another character.
std::uint32_t half_pair_at(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[i])}; };
  if (text.size() < kHalfPairBytes || byte(0) != 0xED || byte(1) < 0xA0 || byte(1) > 0xBF || (byte(2) & 0xC0U) != 0x80U)
    return 0;
  return kFirstHigh | (byte(1) & 0x1FU) << 6U | (byte(2) & 0x3FU);
}

bool is_high(std::uint32_t half) noexcept { return half >= kFirstHigh && half < kFirstLow; }
bool is_low(std::uint32_t half) noexcept { return half >= kFirstLow && half < kEnd; }

/// Whether more bytes can complete a surrogate pair at the start of `text`.
bool is_incomplete_pair(std::string_view text) noexcept {
  if (!is_high(half_pair_at(text))) return false;
  const std::string_view rest = text.substr(kHalfPairBytes);
  return rest.empty() || (rest.size() < kHalfPairBytes && rest.front() == '\xED');
}

/// Returns the character of the surrogate pair at the start of `text` as UTF-8; "": there is no pair.
std::string join_pair(std::string_view text) {
  const std::uint32_t high = half_pair_at(text);
  const std::uint32_t low = is_high(high) ? half_pair_at(text.substr(kHalfPairBytes)) : 0;
  if (!is_low(low)) return {};
  const std::uint32_t c = 0x10000U + ((high - kFirstHigh) << 10U) + (low - kFirstLow);
  return {static_cast<char>(0xF0U | c >> 18U), static_cast<char>(0x80U | (c >> 12U & 0x3FU)),
          static_cast<char>(0x80U | (c >> 6U & 0x3FU)), static_cast<char>(0x80U | (c & 0x3FU))};
}

constexpr std::size_t kMaxModelNameBytes = 256;

/// The tokenizers of the large services use about 4 bytes per token for English and about 3 for max_tokens other text.
/// 3 gives the higher estimate, so that usage is not counted too low.
constexpr std::uint64_t kBytesPerToken = 3;

std::uint64_t estimate_tokens(std::uint64_t bytes) { return (bytes + kBytesPerToken - 1) / kBytesPerToken; }

Error reader_stopped() {
  return {ErrorCode::Cancelled, "The caller cancelled the request.", "the reader stopped reading"};
}

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

Visit Utf8Stream::append(std::string_view bytes) {
  if (incomplete_.empty() && utf8::is_valid(bytes)) return emit(bytes);
  const std::string text = std::exchange(incomplete_, {}).append(bytes);
  std::string complete;
  for (std::string_view rest = text; !rest.empty();) {
    if (is_incomplete_pair(rest) || (utf8::sequence_length(rest) == 0 && is_incomplete_character(rest))) {
      incomplete_ = rest;
      break;
    }
    if (const std::string character = join_pair(rest); !character.empty()) {
      complete += character;
      rest.remove_prefix(2 * kHalfPairBytes);
      continue;
    }
    const std::size_t length = utf8::sequence_length(rest);
    complete += length == 0 ? kReplacement : rest.substr(0, length);
    rest.remove_prefix(half_pair_at(rest) != 0 ? kHalfPairBytes : std::max<std::size_t>(length, 1));
  }
  return emit(complete);
}

Visit Utf8Stream::finish() { return emit(std::exchange(incomplete_, {}).empty() ? std::string_view() : kReplacement); }

Visit Utf8Stream::emit(std::string_view text) {
  bytes_ += text.size();
  return text.empty() ? Visit::Continue : visitor_(text);
}

Status CompletionBuilder::append_text(std::string_view text) {
  has_text_ = true;
  if (text_.append(text) == Visit::Stop) return reader_stopped();
  return {};
}

void CompletionBuilder::set_model(std::string_view name) {
  if (name.empty() || name.size() > kMaxModelNameBytes) return;
  if (utf8::is_valid(name) && !utf8::has_control(name)) model_ = name;
}

Result<ports::Completion> CompletionBuilder::finish() {
  if (!is_complete()) return invalid_response("the response ended before the model finished");
  if (!has_text_ && finish_reason_ == ports::FinishReason::Stop) return invalid_response("the response has no text");
  if (text_.finish() == Visit::Stop) return reader_stopped();
  const std::uint64_t max_tokens = prompt_.max_tokens;
  return ports::Completion{
      model_.empty() ? std::string(prompt_.model) : model_, *finish_reason_,
      prompt_tokens_ > 0 ? prompt_tokens_ : estimate_tokens(prompt_.text.size()),
      completion_tokens_ > 0 ? completion_tokens_ : std::min(max_tokens, estimate_tokens(text_.bytes()))};
}

}  // namespace kbase::language_model
