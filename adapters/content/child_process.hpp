// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::content {

/// Bounds of a program that kbase starts.
struct ChildLimits {
  std::chrono::milliseconds time{30'000};
  std::size_t output_bytes = std::size_t{64} << 20;
  std::size_t memory_bytes = std::size_t{2} << 30;  ///< of its address space
};

/// A program that has ended.
struct ChildOutput {
  int exit_code = 0;
  std::string output;  ///< what it wrote to standard output
  std::string errors;  ///< the start of what it wrote to standard error
};

/// Runs a program, found by PATH and without a shell, in a process group of its own, and waits for its end. `input` is
/// its standard input. The whole group is killed when a bound is exceeded or the call is cancelled, and when it ends.
/// Errors: NotFound (there is no such program), Unavailable (it cannot be started), InvalidArgument with a phrase that
/// continues its name (it exceeded a bound, or a signal ended it), Cancelled.
Result<ChildOutput> run_program(const std::vector<std::string>& arguments, std::string_view input,
                                const ChildLimits& limits, const ports::Call& call);

}  // namespace kbase::content
