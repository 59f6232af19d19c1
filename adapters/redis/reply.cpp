// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/reply.hpp"

#include <hiredis/hiredis.h>

#include <new>

namespace kbase::redis {
namespace {

/// Size limits of a reply, so that a server that is not a Redis or is malicious cannot exhaust the memory. The largest
/// expected replies are the slots of a cluster and a cached value.
constexpr std::size_t kMostElements = std::size_t{1} << 20;
constexpr std::size_t kTooMany = kMostElements + 1;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// Returns the place for the reply of `task`: an element of its parent array, or a new Reply. Null: out of memory;
/// hiredis is C, so no exception may pass through it.
Reply* place_of(const redisReadTask* task, Reply::Kind kind) noexcept {
  Reply* const place = task->parent != nullptr
                           ? &static_cast<Reply*>(task->parent->obj)->elements[static_cast<std::size_t>(task->idx)]
                           : new (std::nothrow) Reply;
  if (place != nullptr) place->kind = kind;
  return place;
}

void* make_text(const redisReadTask* task, char* start, std::size_t size) {
  Reply* const reply = place_of(task, task->type == REDIS_REPLY_ERROR ? Reply::Kind::Error : Reply::Kind::Text);
  try {
    if (reply != nullptr) reply->text.assign(start, size);
  } catch (const std::bad_alloc&) {
    if (task->parent == nullptr) delete reply;
    return nullptr;
  }
  return reply;
}

void* make_array(const redisReadTask* task, int size) {
  std::size_t& elements = *static_cast<std::size_t*>(task->privdata);
  if (size < 0 || static_cast<std::size_t>(size) > kMostElements - elements) {
    elements = kTooMany;
    return nullptr;
  }
  elements += static_cast<std::size_t>(size);
  Reply* const reply = place_of(task, Reply::Kind::Array);
  try {
    if (reply != nullptr) reply->elements.resize(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    if (task->parent == nullptr) delete reply;
    return nullptr;
  }
  return reply;
}

void* make_integer(const redisReadTask* task, long long value) {
  Reply* const reply = place_of(task, Reply::Kind::Integer);
  if (reply != nullptr) reply->integer = value;
  return reply;
}

void* make_nil(const redisReadTask* task) {
  return place_of(task, Reply::Kind::Nil);
}

void destroy(void* reply) {
  delete static_cast<Reply*>(reply);
}

redisReplyObjectFunctions functions{make_text, make_array, make_integer, make_nil, destroy};  // not const in hiredis

}  // namespace

void Commands::add(std::span<const std::string_view> words) {
  bytes_ += '*' + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    bytes_ += '$' + std::to_string(word.size()) + "\r\n";
    bytes_ += word;
    bytes_ += "\r\n";
  }
  ++count_;
}

void Commands::add(const Commands& others) {
  bytes_ += others.bytes_;
  count_ += others.count_;
}

void ReplyReader::Free::operator()(redisReader* reader) const noexcept {
  redisReaderFree(reader);
}

ReplyReader::ReplyReader()
    : elements_(std::make_unique<std::size_t>(0)), reader_(redisReaderCreateWithFunctions(&functions)) {
  if (reader_ == nullptr) throw std::bad_alloc();
  reader_->privdata = elements_.get();
}

void ReplyReader::feed(std::string_view bytes) {
  bytes_ += bytes.size();
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());  // next() reports the errors of this call
}

model::Result<std::unique_ptr<Reply>> ReplyReader::next() {
  const auto no_answer = [](const char* reason) {
    return model::Error{model::ErrorCode::BadUpstream, "this is no answer of a Redis", reason, {}, {}};
  };
  void* reply = nullptr;
  if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK)
    return no_answer(*elements_ == kTooMany ? "arrays of more than 1048576 elements" : reader_->errstr);
  if (reply == nullptr && bytes_ > kMostBytes) return no_answer("one of more than 64 MiB");
  if (reply != nullptr) {
    *elements_ = 0;
    bytes_ = reader_->len - reader_->pos;
  }
  return std::unique_ptr<Reply>(static_cast<Reply*>(reply));
}

}  // namespace kbase::redis
