// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/result.hpp"

struct redisReader;

namespace kbase::redis {

/// Commands in the order in which they are to be answered, as the bytes that are sent.
class Commands {
 public:
  /// Each word may be any bytes; the first is the command's name.
  void add(std::span<const std::string_view> words);
  void add(std::initializer_list<std::string_view> words) { add(std::span(words.begin(), words.size())); }
  void add(const Commands& others);

  const std::string& bytes() const { return bytes_; }
  std::size_t count() const { return count_; }

 private:
  std::string bytes_;
  std::size_t count_ = 0;
};

/// What a server answered to one command.
struct Reply {
  enum class Kind { Nil, Text, Integer, Array, Error };

  Kind kind = Kind::Nil;
  std::int64_t integer = 0;
  std::string text;  ///< of Text and Error; of an error, its name comes first: "LOADING Redis is loading ..."
  std::vector<Reply> elements;

  bool is_error() const { return kind == Kind::Error; }

  /// Whether this is the error of that name.
  bool is_error(std::string_view name) const {
    return is_error() && text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ' ');
  }
};

/// Cuts the bytes of a connection into replies (RESP2). One thread at a time.
class ReplyReader {
 public:
  ReplyReader();

  void feed(std::string_view bytes);

  /// The next whole reply; null: there is none yet. BadUpstream: the bytes are no replies of a Redis, or one is larger
  /// than any that is asked for.
  model::Result<std::unique_ptr<Reply>> next();

 private:
  struct Free {
    void operator()(redisReader* reader) const noexcept;
  };
  std::unique_ptr<std::size_t> elements_;  // of all arrays of the reply that is being read; hiredis has its address
  std::size_t bytes_ = 0;                  // since the last whole reply
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace kbase::redis
