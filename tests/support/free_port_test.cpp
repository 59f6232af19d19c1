// SPDX-License-Identifier: Apache-2.0
#include "tests/support/free_port.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/child_process.hpp"

namespace kbase::tests {
namespace {

TEST(FreePort, IsReturnedOnceWhetherOrNotAServerListens) {
  constexpr std::size_t kPorts = 500;  // of 16,384: without claims, random choice would return some ports twice
  std::set<std::uint16_t> given;
  while (given.size() < kPorts) ASSERT_TRUE(given.insert(free_port()).second);
}

TEST(FreePort, IsNotReturnedToPythonTests) {
  const auto claim = [](int port) {
    return run_program(
               {{KBASE_TEST_PYTHON, "-c", "import free_port; print(free_port.claim(" + std::to_string(port) + "))"},
                {"PYTHONPATH=" KBASE_TEST_SUPPORT},
                {}})
        .output;
  };
  constexpr int kUnclaimed = 1;
  EXPECT_EQ(claim(kUnclaimed), "True\n");
  EXPECT_EQ(claim(free_port()), "False\n");
}

}  // namespace
}  // namespace kbase::tests
