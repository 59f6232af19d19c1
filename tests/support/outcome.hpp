// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "domain/base/result.hpp"

namespace kbase::tests {

/// For EXPECT_TRUE: the call succeeded. A failed test prints the error.
template <class T> testing::AssertionResult succeeded(const Result<T>& result) {
  if (result) return testing::AssertionSuccess();
  const Error& error = result.error();
  return testing::AssertionFailure() << name_of(error.code) << ": " << error.message << " (" << error.detail << ")";
}

/// For EXPECT_TRUE: the call failed with this code and parameter.
template <class T>
testing::AssertionResult failed(const Result<T>& result, ErrorCode code, std::string_view parameter = {}) {
  if (result) return testing::AssertionFailure() << "it succeeded";
  const Error& error = result.error();
  if (error.code == code && error.parameter == parameter) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name_of(error.code) << " of parameter '" << error.parameter
                                     << "': " << error.message;
}

/// Returns an error as a port returns it.
inline Error error_of(ErrorCode code) { return {code, "it failed", "the cause"}; }

}  // namespace kbase::tests
