// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/known_ports.hpp"

#include <kbase/plugin.h>

#include <array>
#include <cstring>

namespace kbase::plugin_host {
namespace {

using Function = void (*)();

constexpr std::array kItemStore{
    "create",        "destroy",  "health",       "lineage", "revision",        "wait",    "get",   "summaries",
    "recent",        "category", "categories",   "totals",  "category_views",  "changes", "begin", "read",
    "read_category", "put",      "put_category", "remove",  "remove_category", "commit",  "abort"};
constexpr std::array kActivityStore{"create",   "destroy", "health", "add",   "set",
                                    "revision", "totals",  "top",    "daily", "days"};
constexpr std::array kKeyStore{"create", "destroy", "health",     "revision",  "find",
                               "get",    "list",    "create_key", "update_key"};
constexpr std::array kSearchIndex{"create",    "destroy", "health", "fingerprint", "search", "state", "begin",
                                  "set_views", "verify",  "put",    "remove",      "commit", "abort"};
constexpr std::array kRateLimitStore{"create", "destroy", "health", "take"};
constexpr std::array kCache{"create", "destroy", "health", "get", "put", "erase"};
constexpr std::array kCodeHost{"create", "destroy", "health", "is_username", "look_up"};
constexpr std::array kLanguageModel{"create", "destroy", "health", "complete"};

constexpr std::size_t offset_of(std::size_t number) {
  return sizeof(TableStart) + number * sizeof(Function);
}

/// Checks that a table begins like TableStart and has its last mandatory function at the expected offset.
template <class Table>
constexpr bool fits(std::size_t last_offset, std::size_t functions) {
  return offsetof(Table, inline_calls) == offsetof(TableStart, inline_calls) &&
         offsetof(Table, flags) == offsetof(TableStart, flags) &&
         offsetof(Table, capabilities) == offsetof(TableStart, capabilities) &&
         offsetof(Table, config_schema) == offsetof(TableStart, config_schema) &&
         last_offset == offset_of(functions - 1);
}

static_assert(fits<kb_item_store_v1>(offsetof(kb_item_store_v1, abort), kItemStore.size()));
static_assert(fits<kb_activity_store_v1>(offsetof(kb_activity_store_v1, days), kActivityStore.size()));
static_assert(fits<kb_key_store_v1>(offsetof(kb_key_store_v1, update_key), kKeyStore.size()));
static_assert(fits<kb_search_index_v1>(offsetof(kb_search_index_v1, abort), kSearchIndex.size()));
static_assert(fits<kb_rate_limit_store_v1>(offsetof(kb_rate_limit_store_v1, take), kRateLimitStore.size()));
static_assert(fits<kb_cache_v1>(offsetof(kb_cache_v1, erase), kCache.size()));
static_assert(fits<kb_code_host_v1>(offsetof(kb_code_host_v1, look_up), kCodeHost.size()));
static_assert(fits<kb_language_model_v1>(offsetof(kb_language_model_v1, complete), kLanguageModel.size()));

constexpr std::array kItemStoreInline{NamedBit{KB_ITEM_STORE_INLINE_READS, "reads"}};
constexpr std::array kKeyStoreInline{NamedBit{KB_KEY_STORE_INLINE_READS, "reads"}};
constexpr std::array kSearchIndexInline{NamedBit{KB_SEARCH_INDEX_INLINE_SEARCH, "search"}};
constexpr std::array kRateLimitInline{NamedBit{KB_RATE_LIMIT_INLINE_TAKE, "take"}};
constexpr std::array kCacheInline{NamedBit{KB_CACHE_INLINE_CALLS, "calls"}};

constexpr std::array kItemStoreCan{NamedBit{KB_ITEM_STORE_CAN_PERSIST, "persist"},
                                   NamedBit{KB_ITEM_STORE_CAN_WAIT, "wait"},
                                   NamedBit{KB_ITEM_STORE_CAN_LEASE, "lease"}};
constexpr std::array kActivityStoreCan{NamedBit{KB_ACTIVITY_STORE_CAN_PERSIST, "persist"}};
constexpr std::array kKeyStoreCan{NamedBit{KB_KEY_STORE_CAN_PERSIST, "persist"}};
constexpr std::array kSearchIndexCan{NamedBit{KB_SEARCH_INDEX_CAN_PERSIST, "persist"},
                                     NamedBit{KB_SEARCH_INDEX_CAN_STEM, "stem"},
                                     NamedBit{KB_SEARCH_INDEX_CAN_SEGMENT, "segment"},
                                     NamedBit{KB_SEARCH_INDEX_CAN_CORRECT, "correct"},
                                     NamedBit{KB_SEARCH_INDEX_HAS_POPULARITY_LAG, "popularity_lag"},
                                     NamedBit{KB_SEARCH_INDEX_IS_SHARED, "shared"},
                                     NamedBit{KB_SEARCH_INDEX_CAN_FILTER, "filter"},
                                     NamedBit{KB_SEARCH_INDEX_CAN_COUNT, "count"},
                                     NamedBit{KB_SEARCH_INDEX_CAN_MARK, "mark"},
                                     NamedBit{KB_SEARCH_INDEX_CAN_COMPLETE, "complete"}};
constexpr std::array kRateLimitCan{NamedBit{KB_RATE_LIMIT_CAN_SHARE, "share"}};

constexpr std::array<KnownPort, kKnownPorts> kPorts{{
    {KB_PORT_ITEM_STORE, kItemStore, "wait", kItemStoreInline, kItemStoreCan},
    {KB_PORT_ACTIVITY_STORE, kActivityStore, {}, {}, kActivityStoreCan},
    {KB_PORT_KEY_STORE, kKeyStore, {}, kKeyStoreInline, kKeyStoreCan},
    {KB_PORT_SEARCH_INDEX, kSearchIndex, {}, kSearchIndexInline, kSearchIndexCan},
    {KB_PORT_RATE_LIMIT_STORE, kRateLimitStore, {}, kRateLimitInline, kRateLimitCan},
    {KB_PORT_CACHE, kCache, {}, kCacheInline, {}},
    {KB_PORT_CODE_HOST, kCodeHost, {}, {}, {}},
    {KB_PORT_LANGUAGE_MODEL, kLanguageModel, {}, {}, {}},
}};

}  // namespace

std::span<const KnownPort, kKnownPorts> known_ports() {
  return kPorts;
}

TableStart start_of(const void* table) {
  TableStart start;
  std::memcpy(&start, table, sizeof(start));
  return start;
}

bool has_function(const void* table, std::size_t number) {
  Function function;
  std::memcpy(&function, static_cast<const char*>(table) + offset_of(number), sizeof(function));
  return function != nullptr;
}

std::vector<std::string> names_of(std::uint32_t bits, std::span<const NamedBit> known) {
  std::vector<std::string> names;
  for (const NamedBit& named : known)
    if ((bits & named.bit) != 0) names.emplace_back(named.name);
  return names;
}

}  // namespace kbase::plugin_host
