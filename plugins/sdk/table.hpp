// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "domain/model/function_ref.hpp"
#include "plugins/sdk/setup.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/cache.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

/// Creates the table of a port from a function that opens an implementation.
namespace kbase::sdk {

/// Maps a port to its C types. `kCalls` is its table with the members that are the same for every implementation.
template <class Port>
struct InC;

template <>
struct InC<ports::ItemStore> {
  using Table = kb_item_store_v1;
  using Handle = kb_item_store;
  static const Table kCalls;
};

template <>
struct InC<ports::ActivityStore> {
  using Table = kb_activity_store_v1;
  using Handle = kb_activity_store;
  static const Table kCalls;
};

template <>
struct InC<ports::ApiKeyStore> {
  using Table = kb_key_store_v1;
  using Handle = kb_key_store;
  static const Table kCalls;
};

template <>
struct InC<ports::SearchIndex> {
  using Table = kb_search_index_v1;
  using Handle = kb_search_index;
  static const Table kCalls;
};

template <>
struct InC<ports::RateLimitStore> {
  using Table = kb_rate_limit_store_v1;
  using Handle = kb_rate_limit_store;
  static const Table kCalls;
};

template <>
struct InC<ports::Cache> {
  using Table = kb_cache_v1;
  using Handle = kb_cache;
  static const Table kCalls;
};

template <>
struct InC<ports::CodeHost> {
  using Table = kb_code_host_v1;
  using Handle = kb_code_host;
  static const Table kCalls;
};

template <>
struct InC<ports::LanguageModel> {
  using Table = kb_language_model_v1;
  using Handle = kb_language_model;
  static const Table kCalls;
};

/// What a plugin declares about its implementation of a port; base.h documents each member.
struct Declaration {
  std::uint32_t inline_calls = 0;
  std::uint32_t flags = 0;
  std::uint32_t capabilities = 0;
  const char* config_schema = nullptr;
};

/// Creates an instance; implements `create` of every table.
kb_status create(const kb_host* host, kb_call* call, kb_view config, model::FunctionRef<Opened<void>(Setup&)> open,
                 void** instance) noexcept;

/// Returns the table of an implementation whose instances `open` creates. An error of `open` is the error of `create`;
/// exceptions of `open` and of the port's calls are converted to errors.
template <class Port, Opened<Port> (*open)(Setup&)>
typename InC<Port>::Table table(const Declaration& declaration) {
  typename InC<Port>::Table made = InC<Port>::kCalls;
  made.inline_calls = declaration.inline_calls;
  made.flags = declaration.flags;
  made.capabilities = declaration.capabilities;
  made.config_schema = declaration.config_schema;
  made.create = [](const kb_host* host, kb_call* call, kb_view config, typename InC<Port>::Handle** instance) {
    const auto open_any = [](Setup& setup) -> Opened<void> {
      auto opened = open(setup);
      if (!opened) return opened.error();
      return std::shared_ptr<void>(*std::move(opened));
    };
    void* untyped = nullptr;
    const kb_status status = create(host, call, config, open_any, &untyped);
    *instance = static_cast<typename InC<Port>::Handle*>(untyped);
    return status;
  };
  return made;
}

}  // namespace kbase::sdk
