// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

/// Timeouts and poll intervals of the adapter.
namespace kbase::postgres {

/// Interval at which a waiting call is checked for cancellation: setting the flag wakes no thread.
inline constexpr std::chrono::milliseconds kPollInterval{10};

/// Interval for the wait for changes, which runs all the time and would otherwise poll 100 times a second.
inline constexpr std::chrono::milliseconds kSlowPollInterval{50};

/// Maximum wait for the writer or for a free connection; the deadline of the call can shorten it.
inline constexpr std::chrono::milliseconds kTimeout{5000};

/// Maximum silence of a server during a call without a deadline. After it the server counts as lost even though the
/// connection is open; nothing else would end the wait. Long enough for slow statements: a commit that waits for a slow
/// replica, or a sort of all counts. (A vanished machine breaks the connection far sooner.)
inline constexpr std::chrono::minutes kSilence{2};

/// Returns Cancelled or Deadline if the call was cancelled or is past its deadline.
model::Status still_wanted(const ports::Call& call, const ports::Clock& clock);

/// Returns the end of a wait for the server that starts now: kSilence from now, or never if the call has a deadline,
/// which then ends the wait.
std::chrono::steady_clock::time_point end_of_silence(const ports::Call& call, const ports::Clock& clock);

/// Returns `most`, or the time until the deadline if that is shorter; never below 0.
std::chrono::milliseconds time_left(const ports::Call& call, const ports::Clock& clock,
                                    std::chrono::milliseconds most = kTimeout);

}  // namespace kbase::postgres
