// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::tests {

/// Wraps one check of a contract suite as a GoogleTest test.
template <class F> class ContractTest : public testing::Test {
 public:
  ContractTest(conformance::Check<F> check, std::function<std::unique_ptr<F>()> make, const char* missing)
      : check_(check), make_(std::move(make)), missing_(missing) {}

  void TestBody() override {
    if (missing_ != nullptr) GTEST_SKIP() << missing_;
    const std::unique_ptr<F> fixture = make_();
    conformance::Report report;
    check_.run(*fixture, report);
    for (const conformance::Finding& finding : report.findings())
      GTEST_MESSAGE_AT_(finding.where.file, finding.where.line, (finding.expected + "\n  " + finding.observed).c_str(),
                        testing::TestPartResult::kNonFatalFailure);
    if (!report.skipped().empty() && !HasFailure()) GTEST_SKIP() << report.skipped();
  }

 private:
  conformance::Check<F> check_;
  std::function<std::unique_ptr<F>()> make_;
  const char* missing_;
};

/// Registers every check of `suite`; each check gets a new fixture from `make`. Call it from main or from a static
/// initialiser of the test program. `missing` is the software that this machine lacks to run the implementation; the
/// checks are then skipped. Null: nothing is missing.
template <class F>
bool register_contract(const char* implementation, const conformance::Suite<F>& suite,
                       std::function<std::unique_ptr<F>()> make, const char* missing = nullptr) {
  for (const conformance::Check<F>& check : suite)
    testing::RegisterTest(
        implementation, std::string(check.name).c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [check, make, missing]() -> testing::Test* { return new ContractTest<F>(check, make, missing); });
  return true;
}

}  // namespace kbase::tests
