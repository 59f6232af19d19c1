// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/content_source.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockContentSink : public ports::ContentSink {
 public:
  MAKE_MOCK1(put, Status(const model::CategoryView&), override);
  MAKE_MOCK1(put, Status(const model::ItemView&), override);
  MAKE_MOCK1(put, Status(const ports::ActivityRecord&), override);
  MAKE_MOCK1(put, Status(const model::SynonymsView&), override);
  MAKE_MOCK0(finish, Status(), override);
};

}  // namespace kbase::tests
