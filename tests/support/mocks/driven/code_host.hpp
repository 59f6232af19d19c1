// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/code_host.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockCodeHost : public ports::CodeHost {
 public:
  MAKE_CONST_MOCK1(is_username, bool(std::string_view), noexcept override);
  MAKE_MOCK4(look_up, Result<ports::LookUp>(ports::Call&, std::string_view, std::string_view, ports::UserVisitor&),
             override);
  MAKE_MOCK1(health, Status(ports::Call&), override);
};

}  // namespace kbase::tests
