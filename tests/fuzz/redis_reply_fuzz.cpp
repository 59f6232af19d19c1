// SPDX-License-Identifier: Apache-2.0
// For any bytes from a server, the replies do not depend on how the bytes are split, and their memory stays within its
// limit. The input's first byte is the size of the pieces. The second selects the position from which the bytes are
// repeated, to reach the limits.
#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/channel.hpp"

namespace kbase::redis {
namespace {

constexpr std::size_t kMostElements = std::size_t{1} << 20;

/// Memory that the library allocates in addition: spare capacity of its buffer.
constexpr std::size_t kSpare = std::size_t{4} << 20;

void require(bool held) {
  if (!held) std::abort();
}

std::string text_of(const Reply& reply) {
  std::string text = std::to_string(static_cast<int>(reply.kind)) + ' ' + std::to_string(reply.integer) + ' ' +
                     std::to_string(reply.text.size()) + ' ' + reply.text + '(';
  for (const Reply& element : reply.elements) text += text_of(element);
  return text + ')';
}

std::size_t elements_of(const Reply& reply) {
  std::size_t count = reply.elements.size();
  for (const Reply& element : reply.elements) count += elements_of(element);
  return count;
}

/// Reads `bytes` in pieces of `size` and returns each reply, then the error if there is one.
std::vector<std::string> read(std::string_view bytes, std::size_t size) {
  const std::size_t before = __sanitizer_get_current_allocated_bytes();
  const std::size_t most = kMostElements * sizeof(Reply) + 4 * bytes.size() + kSpare;
  std::vector<std::string> read;
  std::size_t result_bytes = 0;  // memory of `read` in bytes
  ReplyReader reader;
  while (!bytes.empty()) {
    reader.feed(bytes.substr(0, size));
    bytes.remove_prefix(std::min(size, bytes.size()));
    for (;;) {
      const auto reply = reader.next();
      require(__sanitizer_get_current_allocated_bytes() <= before + most + result_bytes);
      if (!reply) {
        read.push_back(reply.error().detail);
        require(!reader.next());  // the reader cannot recover
        return read;
      }
      if (*reply == nullptr) break;
      require(elements_of(**reply) <= kMostElements);
      read.push_back(text_of(**reply));
      result_bytes += 2 * (read.back().capacity() + sizeof read.back());
    }
  }
  return read;
}

}  // namespace
}  // namespace kbase::redis

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase::redis;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = read(bytes, bytes.size());
  require(read(bytes, 1) == whole);
  require(read(bytes, data[0] + 2U) == whole);

  // The bytes from one position on, repeated, reach a limit or remain valid replies.
  const std::size_t from = bytes.empty() ? 0 : data[1] % bytes.size();
  std::string often(bytes);
  while (!bytes.empty() && often.size() < 4096) often += bytes.substr(from);
  require(read(often, data[0] + 2U) == read(often, often.size()));
  return 0;
}
