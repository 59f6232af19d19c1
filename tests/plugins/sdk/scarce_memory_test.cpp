// SPDX-License-Identifier: Apache-2.0
// Separate program, because it replaces operator new and delete.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "plugins/sdk/setup.hpp"

namespace {

constexpr long kAll = -1;
thread_local long left = kAll;  // allocations until failure

void* given(std::size_t size) {
  if (left == 0) throw std::bad_alloc();
  if (left > 0) --left;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Not inlined: if GCC sees only one of new and delete, it warns about a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) { return given(size); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return given(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace kbase::tests {
namespace {

/// Whether the settings can be parsed and freed with at most `pieces` allocations.
bool parse_with_memory(long pieces, std::string_view json) {
  left = pieces;
  bool read = false;
  try {
    const auto settings = sdk::Settings::parse(json);
    read = settings && settings->text("url", {}).size() == 40 && settings->number("connections", 0) == 2;
  } catch (const std::bad_alloc&) {
  }
  left = kAll;
  return read;
}

TEST(Settings, ThrowIfMemoryIsExhausted) {
  const std::string json = R"({"url": ")" + std::string(40, 'u') + R"(", "list": [[1, "two"], {"a": {}}], "flag": true,
                              "password": ")" +
                           std::string(40, 'p') + R"(", "connections": 2})";
  long pieces = 0;
  while (pieces < 1000 && !parse_with_memory(pieces, json)) ++pieces;
  EXPECT_GT(pieces, 4) << "some allocation must fail";
  EXPECT_LT(pieces, 1000);
}

}  // namespace
}  // namespace kbase::tests
