// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/timeout.hpp"

#include <algorithm>

namespace kbase::postgres {

model::Status still_wanted(const ports::Call& call, const ports::Clock& clock) {
  if (call.cancelled())
    return model::Error{model::ErrorCode::Cancelled, "nobody waits for the answer any more", {}, {}, {}};
  if (call.deadline != ports::Call::SteadyTime::max() && clock.steady() >= call.deadline)
    return model::Error{model::ErrorCode::Deadline, "the storage did not answer in time", {}, {}, {}};
  return {};
}

std::chrono::steady_clock::time_point end_of_silence(const ports::Call& call, const ports::Clock& clock) {
  const bool ends = call.deadline != ports::Call::SteadyTime::max();
  return ends ? ports::Call::SteadyTime::max() : clock.steady() + kSilence;
}

std::chrono::milliseconds time_left(const ports::Call& call, const ports::Clock& clock,
                                    std::chrono::milliseconds most) {
  if (call.deadline == ports::Call::SteadyTime::max()) return most;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(call.deadline - clock.steady());
  return std::clamp(left, std::chrono::milliseconds(0), most);
}

}  // namespace kbase::postgres
