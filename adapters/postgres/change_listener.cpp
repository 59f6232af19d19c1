// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/change_listener.hpp"

#include "adapters/postgres/database.hpp"

namespace kbase::postgres {
namespace {

constexpr std::chrono::seconds kSafetyNet{1};

/// Releases the semaphore at the end of a scope.
struct Turn {
  ~Turn() { semaphore.release(); }
  std::binary_semaphore& semaphore;
};

/// Maps Deadline to success: a wait that reaches its deadline has not failed.
model::Status ended(const model::Status& status) {
  if (!status && status.error().code == model::ErrorCode::Deadline) return {};
  return status;
}

}  // namespace

model::Status ChangeListener::wait(const ports::Call& call, model::Revision after) {
  while (!turn_.try_acquire_for(kPollInterval))
    if (auto wanted = still_wanted(call, database_.clock()); !wanted) return ended(wanted);
  const Turn turn{turn_};
  if (!session_ || !session_->is_usable())
    if (auto listening = listen(call); !listening) return ended(listening);
  const Serving serving(*session_, call);
  return ended(wait_listening(call, after));
}

model::Status ChangeListener::listen(const ports::Call& call) {
  auto session = database_.connect(call);
  if (!session) return session.error();
  const Serving serving(**session, call);
  if (auto listening = (*session)->execute("LISTEN \"" + database_.names().channel() + '"'); !listening)
    return listening;
  session_ = *std::move(session);
  return {};
}

model::Status ChangeListener::wait_listening(const ports::Call& call, model::Revision after) {
  for (;;) {
    const auto newest = schema::read_commit(*session_);
    if (!newest) return newest.error();
    database_.note(*newest);
    if (newest->revision > after) return {};
    if (auto wanted = still_wanted(call, database_.clock()); !wanted) return wanted;
    if (auto waited = session_->await_notification(kSafetyNet); !waited) return waited;
  }
}

}  // namespace kbase::postgres
