// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/exchange.hpp"

#include <utility>

#include "adapters/curl/failure.hpp"

namespace kbase::curl {
namespace {

constexpr std::string_view kEncoding = "content-encoding";
constexpr std::string_view kLength = "content-length";

/// Read size for compressed responses.
constexpr std::size_t kPackedBytes = std::size_t{4} << 10;

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
    failure_ = bad_answer("the answer is packed in a way that nobody asked for");
  else if (is_packed)
    gzip_.emplace();
  for (const Field& field : head.fields)
    if (!is_packed || (field.name != kEncoding && field.name != kLength)) fields_.push_back({field.name, field.value});
  head_ = {head.status, fields_, head.attempts};
  return {};
}

model::Result<std::size_t> Exchange::read(std::span<char> buffer) {
  if (auto known = learn_head(); !known) return known.error();
  if (failure_) return *failure_;
  auto got = gzip_ ? unpack(buffer) : fetch(buffer);
  if (got) {
    read_bytes_ += *got;
    if (read_bytes_ <= transfer_->request().max_body_bytes) return got;
    failure_ = bad_answer("the body has more than " + std::to_string(transfer_->request().max_body_bytes) + " bytes");
  } else {
    failure_ = got.error();
  }
  return *failure_;
}

model::Result<std::size_t> Exchange::unpack(std::span<char> buffer) {
  packed_.resize(kPackedBytes);
  while (true) {
    const auto unpacked = gzip_->read(unread_, buffer);
    if (!unpacked || *unpacked > 0) return unpacked;
    const auto got = fetch(packed_);
    if (!got) return got;
    if (*got == 0) return gzip_->is_whole() ? got : bad_answer("gzip: it ends too early");
    unread_ = std::string_view(packed_).substr(0, *got);
  }
}

/// Waits for bytes as they arrived, before decompression; 0: end of the response.
model::Result<std::size_t> Exchange::fetch(std::span<char> buffer) {
  const auto taken = transfer_->pipe().take(buffer);
  if (!taken) return taken.error();
  if (taken->makes_room) loop_.attend(transfer_);
  return taken->bytes;
}

}  // namespace kbase::curl
