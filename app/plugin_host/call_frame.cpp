// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/call_frame.hpp"

#include <memory>
#include <utility>

#include "app/plugin_host/lent_text.hpp"
#include "plugins/sdk/translation.hpp"

namespace kbase::plugin_host {
namespace {

constexpr std::size_t kMaxMessageBytes = 1024;
constexpr std::size_t kMaxDetailBytes = 4096;
constexpr std::size_t kMaxParameterBytes = 256;

}  // namespace

model::Status CallFrame::made(kb_status status) {
  if (status != KB_NOT_FOUND || closed_) return done(status);
  return explained(model::ErrorCode::NotFound);
}

model::Result<bool> CallFrame::found(kb_status status) {
  const bool is_there = status != KB_NOT_FOUND;
  if (auto outcome = visited(is_there ? status : KB_OK); !outcome) return outcome.error();
  return is_there;
}

model::Status CallFrame::found_or(kb_status status, const char* missing) {
  const auto found = this->found(status);
  if (!found) return found.error();
  if (!*found) return model::Error{model::ErrorCode::NotFound, missing, {}, {}, {}};
  return {};
}

model::Result<bool> CallFrame::found_one(kb_status status) {
  check_rows(status);
  return found(status);
}

void CallFrame::check_rows(kb_status status) noexcept {
  if (status == KB_NOT_FOUND && rows_ != 0) report_violation("lent what it said is not there");
  if (status == KB_OK && rows_ == 0) report_violation("said KB_OK and lent nothing");
}

/// "org.example.jsonlines: item_store.get".
std::string CallFrame::place() const {
  return host_.plugin_id() + ": " + function_;
}

model::Status CallFrame::outcome(kb_status status) {
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (violation_ != nullptr) return broken_rule(violation_);
  if (status == KB_OK) return {};
  if (status > 0) return broken_rule("said status " + std::to_string(status) + ", which it can't have here");
  return explained(sdk::code_of(status));
}

model::Error CallFrame::broken_rule(std::string_view what) const {
  return {model::ErrorCode::Internal,
          "The plugin " + host_.plugin_id() + " broke a rule of its port; the log says which.",
          place().append(": it ").append(what),
          {},
          {}};
}

model::Error CallFrame::explained(model::ErrorCode code) {
  const std::unique_ptr<Explanation> why(explanation_.exchange(nullptr));
  model::Error error;
  error.code = code;
  if (why != nullptr) {
    error.message = std::move(why->message);
    error.detail = std::move(why->detail);
    error.retry_after = why->retry_after;
    if (code == model::ErrorCode::InvalidArgument) error.parameter = std::move(why->parameter);
  }
  if (error.message.empty() && error.detail.empty()) error.detail = "it failed and did not say why";
  if (error.message.empty()) error.message = "A part of the service failed; the log says which.";
  return error.during(place());
}

void CallFrame::forget_explanation() noexcept {
  delete explanation_.load(std::memory_order_relaxed);
}

// ------------------------------------------------------------- functions that the plugin calls

void CallFrame::explain(kb_call* call, const kb_explanation* why) noexcept try {
  if (call == nullptr || call->host_data == nullptr || why == nullptr || !KB_HAS(why, parameter)) return;
  auto& self = *static_cast<CallFrame*>(call->host_data);
  auto copy = std::make_unique<Explanation>();
  copy->message = legible(why->message, kMaxMessageBytes);
  copy->detail = legible(why->detail, kMaxDetailBytes);
  copy->parameter = legible(why->parameter, kMaxParameterBytes);
  copy->retry_after = std::chrono::milliseconds(why->retry_after_ms);
  const std::unique_ptr<Explanation> earlier(self.explanation_.exchange(copy.release()));
} catch (...) {
  // No memory for the explanation: the status stands without one.
}

std::int32_t CallFrame::cancelled(const kb_call* call) noexcept {
  if (call == nullptr || call->host_data == nullptr) return 0;
  return static_cast<const CallFrame*>(call->host_data)->origin_.cancelled() ? 1 : 0;
}

}  // namespace kbase::plugin_host
