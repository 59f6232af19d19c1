// SPDX-License-Identifier: Apache-2.0
// Any bytes with a right checksum are word vectors, which then embed a text, or are rejected with a reason.
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "adapters/word_vectors/word_vectors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase::word_vectors;
  std::string bytes = "kbaseWV1" + std::string(reinterpret_cast<const char*>(data), size);
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  const auto vectors = WordVectors::parse(bytes);
  if (!vectors) {
    if (vectors.error().detail.empty()) std::abort();
    return 0;
  }
  const std::array<WordCount, 2> text = {{{"a"}, {"b", 3}}};
  if (vectors->embed(text).values.size() != vectors->dimension()) std::abort();
  if (vectors->serialize() != bytes) std::abort();
  return 0;
}
