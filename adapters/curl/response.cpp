// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/request.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "domain/base/text.hpp"

namespace kbase::curl {
namespace {

constexpr std::uint32_t kFirstFinalStatus = 200;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

const std::string* Head::find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &found->value;
}

HeadParser::Step HeadParser::parse_line(std::string_view line) {
  if (line.size() > remaining_bytes_) return Step::TooLarge;
  remaining_bytes_ -= line.size();
  if (is_complete_) return Step::More;
  if (head_.status == 0) return parse_status_line(line);
  const bool is_folded = line.front() == ' ' || line.front() == '\t';
  const std::string_view text = trim(line);
  if (text.empty() && !is_folded) return finish_head();
  if (!is_folded) return parse_field_line(text);
  if (head_.fields.empty()) return Step::Malformed;
  head_.fields.back().value.append(" ").append(text);  // RFC 9112, section 5.2
  return Step::More;
}

HeadParser::Step HeadParser::parse_status_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (!line.starts_with("HTTP/") || space == std::string_view::npos) return Step::Malformed;
  const std::string_view code = line.substr(space + 1, 3);
  const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), head_.status);
  const bool is_status = error == std::errc() && end == code.data() + 3 && head_.status >= 100;
  return is_status ? Step::More : Step::Malformed;
}

HeadParser::Step HeadParser::parse_field_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return Step::Malformed;
  head_.fields.push_back({ascii::to_lower(line.substr(0, colon)), std::string(trim(line.substr(colon + 1)))});
  return Step::More;
}

HeadParser::Step HeadParser::finish_head() {
  if (head_.status < kFirstFinalStatus) {
    head_ = {};
    return Step::More;
  }
  is_complete_ = true;
  return Step::Complete;
}

// ---------------------------------------------------------------------------------------------------- the loop

void ResponsePipe::put_head(Head head) {
  {
    const std::lock_guard lock(mutex_);
    head_ = std::move(head);
  }
  changed_.notify_one();
}

ResponsePipe::PutResult ResponsePipe::put_body(std::string_view bytes) {
  bool is_full = false;
  {
    const std::lock_guard lock(mutex_);
    bytes_.append(bytes);
    is_full = bytes_.size() >= kPauseBytes;
    is_paused_ = is_paused_ || is_full;
  }
  changed_.notify_one();
  return is_full ? PutResult::Full : PutResult::HasSpace;
}

void ResponsePipe::end() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_one();
}

void ResponsePipe::fail(Error why) {
  {
    const std::lock_guard lock(mutex_);
    if (why.code == ErrorCode::Deadline || why.code == ErrorCode::Cancelled) drop_bytes();
    failure_ = std::move(why);
  }
  changed_.notify_one();
}

bool ResponsePipe::has_reader() const {
  const std::lock_guard lock(mutex_);
  return has_reader_;
}

bool ResponsePipe::is_cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancel_.requested();
}

bool ResponsePipe::take_resume_request() {
  const std::lock_guard lock(mutex_);
  return std::exchange(resume_requested_, false);
}

// ---------------------------------------------------------------------------------------------------- the reader

Result<const Head*> ResponsePipe::head() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return head_ || failure_; });
  if (head_) return &*head_;
  return *failure_;
}

Result<ResponsePipe::ReadResult> ResponsePipe::read(std::span<char> buffer) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !bytes_.empty() || has_ended_ || failure_; });
  if (bytes_.empty()) return failure_ ? Result<ReadResult>(*failure_) : ReadResult();
  const std::size_t size = bytes_.copy(buffer.data(), buffer.size(), read_bytes_);
  read_bytes_ += size;
  if (read_bytes_ < bytes_.size()) return ReadResult{size, false};
  drop_bytes();
  resume_requested_ = std::exchange(is_paused_, false);
  return ReadResult{size, resume_requested_};
}

void ResponsePipe::drop_bytes() {
  bytes_.clear();
  read_bytes_ = 0;
}

void ResponsePipe::detach_reader() {
  const std::lock_guard lock(mutex_);
  has_reader_ = false;
  cancel_ = {};
}

}  // namespace kbase::curl
