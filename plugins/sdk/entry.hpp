// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <memory>
#include <utility>

#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"
#include "plugins/sdk/setup.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/call.hpp"

/// How a function of a table becomes a call of a port. For the tables alone; no plugin includes it.
namespace kbase::sdk {

/// What stands behind every `kb_item_store*` and its like.
struct Instance {
  Setup setup;
  std::shared_ptr<void> port;  ///< made of a pointer to the port that the table is of
};

template <class Port, class Handle>
Port& port_of(Handle* handle) noexcept {
  return *static_cast<Port*>(reinterpret_cast<Instance*>(handle)->port.get());
}

template <class Handle>
void destroy(Handle* handle) noexcept {
  delete reinterpret_cast<Instance*>(handle);
}

/// Asks the host; `call` is a kb_call.
bool is_cancelled(const void* call) noexcept;

/// Lasts as long as `call`.
inline ports::Call call_of(const kb_call& call) noexcept {
  return {time_of(call.deadline_ns), ports::CancelSource(&call, is_cancelled), text_of(call.trace_id)};
}

/// Says why the call is about to fail, and gives the status for it.
kb_status failed(kb_call* call, const model::Error& error) noexcept;

/// The same of the exception that is being handled.
kb_status failed_by_exception(kb_call* call) noexcept;

inline kb_status ended(kb_call* call, const model::Status& status) noexcept {
  return status ? KB_OK : failed(call, status.error());
}

template <class Value>
kb_status ended(kb_call* call, const model::Result<Value>& result, Value* out) noexcept {
  if (!result) return failed(call, result.error());
  *out = *result;
  return KB_OK;
}

/// Calls a port: nothing that it throws leaves the plugin. `body` takes the port's call and gives the status.
template <class Body>
kb_status guarded(kb_call* call, Body body) noexcept {
  try {
    ports::Call inner = call_of(*call);
    return body(inner);
  } catch (...) {
    return failed_by_exception(call);
  }
}

/// health of the tables.
template <class Port, class Handle>
kb_status health(Handle* handle, kb_call* call) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, port_of<Port>(handle).health(inner)); });
}

/// The same where the port has no question of its own for this: one that asks for next to nothing does.
template <class Port, class Handle>
kb_status health_by_revision(Handle* handle, kb_call* call) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    const auto revision = port_of<Port>(handle).revision(inner);
    return revision ? KB_OK : failed(call, revision.error());
  });
}

/// A C sink that hears of no further row once it asked for none.
template <class CSink>
class Sink {
 public:
  Sink(CSink sink, void* data) noexcept : sink_(sink), data_(data) {}

  template <class... Row>
  model::Visit lend(const Row&... row) {
    if (!stopped_) stopped_ = sink_(data_, row...) != 0;
    return stopped_ ? model::Visit::Stop : model::Visit::Continue;
  }

  bool stopped() const noexcept { return stopped_; }

 private:
  CSink sink_;
  void* data_;
  bool stopped_ = false;
};

/// The end of a call whose sink may have asked for no more, upon which ports either succeed or say Cancelled. The sink
/// is looked at when all is over: an argument that asked it would be evaluated before the call.
template <class CSink>
kb_status ended(kb_call* call, const model::Status& status, const Sink<CSink>& sink) noexcept {
  if (sink.stopped() && (status || status.error().code == model::ErrorCode::Cancelled)) return KB_STOPPED;
  return ended(call, status);
}

/// `out` is set on KB_OK alone.
template <class Value, class CSink>
kb_status ended(kb_call* call, const model::Result<Value>& result, Value* out, const Sink<CSink>& sink) noexcept {
  if (sink.stopped()) return ended(call, result ? model::Status() : result.error(), sink);
  return ended(call, result, out);
}

}  // namespace kbase::sdk
