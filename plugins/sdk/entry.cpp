// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/entry.hpp"

#include <exception>
#include <new>

namespace kbase::sdk {
namespace {

kb_status failed(kb_call* call, kb_status status, std::string_view message, std::string_view detail) noexcept {
  auto why = sized<kb_explanation>();
  why.message = view_of(message);
  why.detail = view_of(detail);
  if (KB_HAS(call->host, explain)) call->host->explain(call, &why);
  return status;
}

}  // namespace

kb_status create(const kb_host* host, kb_call* call, kb_view config, FunctionRef<Opened<void>(Setup&)> open,
                 void** instance) noexcept {
  return guarded(call, [&](ports::Call&) {
    auto settings = Settings::parse(text_of(config));
    if (!settings) return failed(call, settings.error());
    auto made = std::make_unique<Instance>(Instance{Setup(*host, *std::move(settings)), nullptr});
    try {
      auto port = open(made->setup);
      if (!port) return failed(call, port.error());
      made->port = *std::move(port);
    } catch (const WrongSetting& wrong) {
      return failed(call, invalid_argument(wrong.name(), wrong.what()));
    }
    *instance = made.release();
    return KB_OK;
  });
}

bool is_cancelled(const void* call) noexcept {
  const auto* c_call = static_cast<const kb_call*>(call);
  return KB_HAS(c_call->host, cancelled) && c_call->host->cancelled(c_call) != 0;
}

kb_status failed(kb_call* call, const Error& error) noexcept {
  const kb_explanation why = explanation_of(error);
  if (KB_HAS(call->host, explain)) call->host->explain(call, &why);
  return status_of(error.code);
}

kb_status failed(kb_call* call, Violation violation) noexcept {
  return failed(call, KB_INVALID_ARGUMENT, "The request is not valid for this plugin.", violation);
}

kb_status failed_by_exception(kb_call* call) noexcept {
  constexpr std::string_view kMessage = "The back end failed.";
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return failed(call, KB_NO_MEMORY, "There is not enough memory.", "the plugin got no memory");
  } catch (const std::exception& thrown) {
    return failed(call, KB_INTERNAL, kMessage, thrown.what());
  } catch (...) {
    return failed(call, KB_INTERNAL, kMessage, "the plugin threw an object that is not a std::exception");
  }
}

}  // namespace kbase::sdk
