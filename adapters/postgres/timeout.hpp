// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

/// How long the adapter waits, for whom and for what.
namespace kbase::postgres {

/// How often a wait looks at its call: a flag wakes nobody.
inline constexpr std::chrono::milliseconds kPollInterval{10};

/// The same for the one who waits for changes all the time, and would look a hundred times a second.
inline constexpr std::chrono::milliseconds kSlowPollInterval{50};

/// How long a call waits for a writer or for a free connection, where its deadline does not come first.
inline constexpr std::chrono::milliseconds kTimeout{5000};

/// After this much silence a server that owes an answer to a call without a deadline counts as gone, though the
/// connection still stands: nobody else would end that wait. Long enough for a statement that merely works: a commit
/// that waits for a slow replica, or a sort of all counts. (A machine that vanished breaks the connection far sooner.)
inline constexpr std::chrono::minutes kSilence{2};

/// Cancelled or Deadline where the caller has given up already.
model::Status still_wanted(const ports::Call& call, const ports::Clock& clock);

/// When a wait for the server that begins now ends, where the call does not end it.
std::chrono::steady_clock::time_point end_of_silence(const ports::Call& call, const ports::Clock& clock);

/// What is left of `most`, or less where the deadline comes first; never below 0.
std::chrono::milliseconds time_left(const ports::Call& call, const ports::Clock& clock,
                                    std::chrono::milliseconds most = kTimeout);

}  // namespace kbase::postgres
