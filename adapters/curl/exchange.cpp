// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/exchange.hpp"

#include <algorithm>
#include <utility>

#include "adapters/curl/failure.hpp"

namespace kbase::curl {
namespace {

constexpr std::string_view kEncoding = "content-encoding";
constexpr std::string_view kLength = "content-length";

}  // namespace

Exchange::Exchange(TransferLoop& loop, std::shared_ptr<Transfer> transfer)
    : loop_(loop), transfer_(std::move(transfer)) {
  loop_.attend(transfer_);
}

Exchange::~Exchange() {
  transfer_->pipe().leave();
  loop_.attend(transfer_);
}

model::Result<ports::HttpHead> Exchange::head() {
  if (auto known = learn_head(); !known) return known.error();
  return *head_;
}

model::Status Exchange::learn_head() {
  if (head_) return {};
  const auto came = transfer_->pipe().head();
  if (!came) return came.error();
  const Head& head = **came;
  const std::string* const encoding = head.find(kEncoding);
  const bool is_packed = encoding != nullptr && *encoding != "identity";
  if (is_packed && *encoding != "gzip" && *encoding != "x-gzip")
    failure_ = bad_answer("the answer is packed by " + *encoding + ", which nobody asked for");
  else if (is_packed)
    gzip_.emplace();
  for (const Field& field : head.fields)
    if (!is_packed || (field.name != kEncoding && field.name != kLength)) fields_.push_back({field.name, field.value});
  head_ = {head.status, fields_};
  return {};
}

model::Result<std::size_t> Exchange::read(std::span<char> buffer) {
  if (auto known = learn_head(); !known) return known.error();
  if (failure_) return *failure_;
  auto got = read_some(buffer);
  if (got) {
    read_bytes_ += *got;
    if (read_bytes_ <= transfer_->request().max_body_bytes) return got;
    failure_ = bad_answer("the body has more than " + std::to_string(transfer_->request().max_body_bytes) + " bytes");
  } else {
    failure_ = got.error();
  }
  return *failure_;
}

model::Result<std::size_t> Exchange::read_some(std::span<char> buffer) {
  while (true) {
    auto moved = move_some(buffer);
    if (!moved || *moved > 0) return moved;
    auto fetched = fetch();
    if (!fetched) return fetched.error();
    if (!*fetched) return std::size_t{0};
  }
}

model::Result<std::size_t> Exchange::move_some(std::span<char> buffer) {
  if (gzip_) return gzip_->read(unread_, buffer);
  const std::size_t size = std::min(buffer.size(), unread_.size());
  std::copy_n(unread_.begin(), size, buffer.begin());
  unread_.remove_prefix(size);
  return size;
}

/// Waits for more of what came. False: that was all.
model::Result<bool> Exchange::fetch() {
  const auto took = transfer_->pipe().take(bytes_);
  if (!took) return took.error();
  unread_ = bytes_;
  if (*took == AnswerPipe::Took::SomeOfPaused) loop_.attend(transfer_);
  if (*took == AnswerPipe::Took::End && gzip_ && !gzip_->is_whole()) return bad_answer("gzip: it ends too early");
  return *took != AnswerPipe::Took::End;
}

}  // namespace kbase::curl
