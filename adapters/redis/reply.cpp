// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/channel.hpp"

#include <hiredis/hiredis.h>

#include <array>
#include <new>

namespace kbase::redis {
namespace {

/// Size limits of a reply, so that a server that is not a Redis or is malicious cannot exhaust the memory. The largest
/// expected replies are the slots of a cluster and a cached value.
constexpr std::size_t kMaxElements = std::size_t{1} << 20;
constexpr std::size_t kTooManyElements = kMaxElements + 1;
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

/// Returns the place for the reply of `task`: an element of its parent array, or a new Reply. Null: out of memory;
/// hiredis is C, so no exception may pass through it.
Reply* reply_slot(const redisReadTask* task, Reply::Kind kind) noexcept {
  Reply* const slot = task->parent != nullptr
                          ? &static_cast<Reply*>(task->parent->obj)->elements[static_cast<std::size_t>(task->idx)]
                          : new (std::nothrow) Reply;
  if (slot != nullptr) slot->kind = kind;
  return slot;
}

void* make_text(const redisReadTask* task, char* start, std::size_t size) {
  Reply* const reply = reply_slot(task, task->type == REDIS_REPLY_ERROR ? Reply::Kind::Error : Reply::Kind::Text);
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
  if (size < 0 || static_cast<std::size_t>(size) > kMaxElements - elements) {
    elements = kTooManyElements;
    return nullptr;
  }
  elements += static_cast<std::size_t>(size);
  Reply* const reply = reply_slot(task, Reply::Kind::Array);
  try {
    if (reply != nullptr) reply->elements.resize(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    if (task->parent == nullptr) delete reply;
    return nullptr;
  }
  return reply;
}

void* make_integer(const redisReadTask* task, long long value) {
  Reply* const reply = reply_slot(task, Reply::Kind::Integer);
  if (reply != nullptr) reply->integer = value;
  return reply;
}

void* make_nil(const redisReadTask* task) { return reply_slot(task, Reply::Kind::Nil); }

void destroy(void* reply) { delete static_cast<Reply*>(reply); }

redisReplyObjectFunctions functions{make_text, make_array, make_integer, make_nil, destroy};  // not const in hiredis

struct KnownError {
  std::string_view name;  ///< the first word of the error
  const char* message;
};

/// Errors with a remedy for an operator.
constexpr std::array<KnownError, 16> kKnownErrors{{
    {"LOADING", "Redis is loading its data; it responds when this is done"},
    {"READONLY", "this Redis is a replica and does not accept writes; configure the primary, or the sentinels"},
    {"OOM", "Redis is full; raise its maxmemory, or set its maxmemory-policy to volatile-ttl"},
    {"CLUSTERDOWN", "the Redis cluster does not serve all of its slots; run CLUSTER INFO on its nodes"},
    {"MASTERDOWN", "the Redis replica has lost its primary; run ROLE on both"},
    {"NOREPLICAS", "Redis has too few replicas to accept writes; start replicas, or lower min-replicas-to-write"},
    {"MISCONF", "Redis does not accept writes because it cannot save to its disk; see its log"},
    {"BUSY", "Redis is busy with the script of another client; wait until it ends, or run SCRIPT KILL"},
    {"NOAUTH", "Redis requires a password; set password, and username if Redis has ACL users"},
    {"WRONGPASS", "Redis rejected the password; set username and password to those of its ACL"},
    {"NOPERM",
     "the Redis user lacks a permission; add the commands and keys listed in the manual (page Redis) to its ACL"},
    {"DENIED", "Redis is in protected mode and rejects other machines; set a password or a bind address in Redis"},
    {"WRONGTYPE", "another program uses keys with the prefix of kbase; set another prefix"},
    {"UNKILLABLE",
     "Redis is busy with the script of another client, which has already written; its operator must end it"},
    {"TRYAGAIN", "the Redis cluster is moving these keys; try again in a moment"},
    {"ERR", "Redis rejected a command; the log contains its error message"},
}};

std::string server_prefix(const Endpoint& server) { return "redis " + server.text() + ": "; }

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

void ReplyReader::Deleter::operator()(redisReader* reader) const noexcept { redisReaderFree(reader); }

ReplyReader::ReplyReader()
    : elements_(std::make_unique<std::size_t>(0)), reader_(redisReaderCreateWithFunctions(&functions)) {
  if (reader_ == nullptr) throw std::bad_alloc();
  reader_->privdata = elements_.get();
}

void ReplyReader::feed(std::string_view bytes) {
  bytes_ += bytes.size();
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());  // next() reports the errors of this call
}

Result<std::unique_ptr<Reply>> ReplyReader::next() {
  const auto invalid_reply = [](const char* reason) {
    return Error{ErrorCode::BadUpstream, "this is not a reply of Redis", reason};
  };
  void* reply = nullptr;
  if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK)
    return invalid_reply(*elements_ == kTooManyElements ? "arrays of more than 1048576 elements" : reader_->errstr);
  if (reply == nullptr && bytes_ > kMaxBytes) return invalid_reply("a reply of more than 64 MiB");
  if (reply != nullptr) {
    *elements_ = 0;
    bytes_ = reader_->len - reader_->pos;
  }
  return std::unique_ptr<Reply>(static_cast<Reply*>(reply));
}

Error translate_error(const Endpoint& server, const Reply& reply) {
  const char* message = kKnownErrors.back().message;
  for (const KnownError& known : kKnownErrors)
    if (reply.is_error(known.name)) message = known.message;
  return {ErrorCode::Unavailable, message, server_prefix(server) + reply.text};
}

Error translate_greeting_error(const Endpoint& server, const Reply& reply) {
  Reply stripped;
  stripped.kind = Reply::Kind::Error;
  stripped.text = reply.text.substr(0, reply.text.find(' '));
  Error error = translate_error(server, stripped);
  error.detail += " to AUTH, SELECT or ROLE";
  if (stripped.is_error("ERR")) error.message = "Redis rejected the login; check username, password and database";
  return error;
}

Error unreachable_error(const Endpoint& server, std::string_view reason) {
  return {ErrorCode::Unavailable, "Redis cannot be reached", server_prefix(server) + std::string(reason)};
}

Error unexpected_reply_error(const Endpoint& server, std::string_view command) {
  return {ErrorCode::BadUpstream, "Redis sent an invalid reply; check that it is Redis 6 or newer",
          server_prefix(server) + std::string(command) + " got an unexpected reply"};
}

}  // namespace kbase::redis
