// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/location.hpp"
#include "domain/base/result.hpp"

struct redisReader;

namespace kbase::redis {

/// Commands in sending order, encoded as RESP.
class Commands {
 public:
  /// Words can contain any bytes; the first is the name of the command.
  void add(std::span<const std::string_view> words);
  void add(std::initializer_list<std::string_view> words) { add(std::span(words.begin(), words.size())); }
  void add(const Commands& others);

  const std::string& bytes() const { return bytes_; }
  std::size_t count() const { return count_; }

 private:
  std::string bytes_;
  std::size_t count_ = 0;
};

/// Reply of a server to one command.
struct Reply {
  enum class Kind { Nil, Text, Integer, Array, Error };

  Kind kind = Kind::Nil;
  std::int64_t integer = 0;
  std::string text;  ///< of Text and Error; an error begins with its name: "LOADING Redis is loading ..."
  std::vector<Reply> elements;

  bool is_error() const { return kind == Kind::Error; }

  /// Whether this is an error with the name `name`.
  bool is_error(std::string_view name) const {
    return is_error() && text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ' ');
  }
};

/// Parser of RESP2 replies. Not thread-safe.
class ReplyReader {
 public:
  ReplyReader();

  void feed(std::string_view bytes);

  /// Returns the next complete reply, or null if it is still incomplete. BadUpstream: the bytes are not RESP, or a
  /// reply exceeds the size limits.
  Result<std::unique_ptr<Reply>> next();

 private:
  struct Deleter {
    void operator()(redisReader* reader) const noexcept;
  };
  std::unique_ptr<std::size_t> elements_;  // array elements of the current reply; hiredis holds its address
  std::size_t bytes_ = 0;                  // received since the last complete reply
  std::unique_ptr<redisReader, Deleter> reader_;
};

/// Maps an error reply of Redis to a kbase error. The only such mapping. The message names the problem and the remedy;
/// the detail names the server and contains the text of the reply.
Error translate_error(const Endpoint& server, const Reply& reply);

/// Maps an error reply to the greeting. Such a reply can repeat a password ("ERR unknown command `AUTH`, with args
/// beginning with: ..."), so the detail contains only its first word.
Error translate_greeting_error(const Endpoint& server, const Reply& reply);

/// Returns an Unavailable error: the server cannot be reached, for a reason that the system reported.
Error unreachable_error(const Endpoint& server, std::string_view reason);

/// Returns a BadUpstream error: the reply does not fit the command.
Error unexpected_reply_error(const Endpoint& server, std::string_view command);

}  // namespace kbase::redis
