// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <thread>

#include "tests/adapters/http_server_fixture.hpp"

namespace kbase::tests {

/// Items of EdgeServer, and of the real program when it runs the same cases.
inline constexpr std::array<std::string_view, 4> kEdgeItems{"a", "b", "c", "x/y"};

/// Server whose responses show which request it understood: an item response has the item's id, a language-model
/// response has the prompt. Every client has a key. Tasks run as soon as they are submitted.
class EdgeServer : public HttpServer {
 protected:
  ~EdgeServer() override {
    server.reset();
    done_ = true;
  }

  Status give_known_item(std::string_view id, ports::ItemVisitor visitor) const {
    if (std::find(kEdgeItems.begin(), kEdgeItems.end(), id) == kEdgeItems.end())
      return Error{ErrorCode::NotFound, "There is no such item."};
    return pass_item(id, visitor);
  }
  ports::Admission admitted_with_key() const {
    ports::Admission admission = admitted(clock.now());
    admission.has_key = true;
    return admission;
  }
  static Error completion_of(const ports::CompletionRequest& request) {
    return {ErrorCode::NotFound, "completion of " + std::string(request.prompt.substr(0, 8))};
  }

 private:
  std::unique_ptr<trompeloeil::expectation> answers_[3] = {
      NAMED_ALLOW_CALL(access, admit(trompeloeil::_, trompeloeil::_, trompeloeil::_)).LR_RETURN(admitted_with_key()),
      NAMED_ALLOW_CALL(catalog, item(trompeloeil::_, trompeloeil::_, trompeloeil::_))
          .LR_RETURN(give_known_item(_2, _3)),
      NAMED_ALLOW_CALL(completions, complete(trompeloeil::_, trompeloeil::_, trompeloeil::_, trompeloeil::_))
          .RETURN(completion_of(_3)),
  };
  std::atomic<bool> done_{false};
  std::jthread worker_{[this] {
    while (!done_) eventually(std::chrono::milliseconds(10), [this] { return executor.run_one() || done_; });
  }};
};

}  // namespace kbase::tests
