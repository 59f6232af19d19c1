// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <cstdint>
#include <functional>
#include <sstream>
#include <string>

#include "tests/plugins/host_world.hpp"

/// Fake tables as a plugin in C would have them; a test sets the functions' behavior.
namespace kbase::tests {

inline kb_item lent_item(std::string_view id) {
  auto item = sized<kb_item>();
  item.id = lent(id);
  item.title = lent("Title");
  item.category = lent("shelf");
  return item;
}

inline kb_category lent_category(std::string_view id) {
  auto category = sized<kb_category>();
  category.id = lent(id);
  category.name = lent("Name");
  return category;
}

/// Base of every fake: records the settings of create and counts the calls of destroy. `Self` is the fake, to which
/// every instance of its table leads back; only one may exist at a time.
template <class Self, class Table, class Object>
class FakeTable {
 public:
  FakeTable() {
    current = static_cast<Self*>(this);
    table = sized<Table>();
    table.create = [](const kb_host*, kb_call* call, kb_view settings, Object** instance) {
      current->config.assign(settings.data, settings.size);
      *instance = current->gives_nothing ? nullptr : object();
      return current->created(call);
    };
    table.destroy = [](Object*) { ++current->destroyed; };
    table.health = [](Object*, kb_call* call) { return current->health(call); };
  }
  FakeTable(const FakeTable&) = delete;
  FakeTable& operator=(const FakeTable&) = delete;

  Table table;
  std::function<kb_status(kb_call*)> created = [](kb_call*) { return KB_OK; };
  std::function<kb_status(kb_call*)> health = [](kb_call*) { return KB_OK; };
  bool gives_nothing = false;
  std::string config;
  int destroyed = 0;

 protected:
  static Object* object() { return reinterpret_cast<Object*>(current); }
  static inline Self* current = nullptr;
};

class FakeCache final : public FakeTable<FakeCache, kb_cache_v1, kb_cache> {
 public:
  FakeCache() {
    table.get = [](kb_cache*, kb_call* call, kb_view key, kb_value_sink sink, void* data) {
      return current->get(call, key, sink, data);
    };
    table.put = [](kb_cache*, kb_call*, kb_view key, kb_view value, std::uint64_t time_to_live_ms) {
      current->put.assign(key.data, key.size).append("=").append(value.data, value.size);
      current->put.append(" for ").append(std::to_string(time_to_live_ms));
      return current->answer;
    };
    table.erase = [](kb_cache*, kb_call*, kb_view) { return current->answer; };
  }

  std::function<kb_status(kb_call*, kb_view, kb_value_sink, void*)> get;
  std::string put;
  kb_status answer = KB_OK;
};

class FakeCodeHost final : public FakeTable<FakeCodeHost, kb_code_host_v1, kb_code_host> {
 public:
  FakeCodeHost() {
    table.is_username = [](kb_code_host*, kb_view username) -> std::int32_t { return username.size < 10; };
    table.look_up = [](kb_code_host*, kb_call* call, kb_view username, kb_view validator, const kb_code_host_sink* sink,
                       std::int32_t* unchanged) {
      current->asked.assign(username.data, username.size).append(" ").append(validator.data, validator.size);
      return current->look_up(call, *sink, *unchanged);
    };
  }

  std::function<kb_status(kb_call*, const kb_code_host_sink&, std::int32_t&)> look_up;
  std::string asked;  ///< arguments of the last call
};

class FakeLanguageModel final : public FakeTable<FakeLanguageModel, kb_language_model_v1, kb_language_model> {
 public:
  FakeLanguageModel() {
    table.complete = [](kb_language_model*, kb_call*, const kb_completion_request* request, kb_text_sink text,
                        kb_completion_sink completion, void* data) {
      current->note(*request);
      return current->complete(text, completion, data);
    };
  }

  std::function<kb_status(kb_text_sink, kb_completion_sink, void*)> complete =
      [](kb_text_sink, kb_completion_sink completion, void* data) {
        auto told = sized<kb_completion>();
        told.model = lent("small");
        completion(data, &told);
        return KB_OK;
      };
  std::string asked;  ///< "MODEL: PROMPT (MAX_TOKENS, TEMPERATURE, stream)"

 private:
  void note(const kb_completion_request& request) {
    std::ostringstream words;
    words << std::string_view(request.model.data, request.model.size) << ": "
          << std::string_view(request.prompt.data, request.prompt.size) << " (" << request.max_tokens << ", ";
    if (request.has_temperature != 0)
      words << request.temperature;
    else
      words << "none";
    words << (request.is_stream != 0 ? ", stream)" : ", plain)");
    asked = words.str();
  }
};

class FakeItemStore final : public FakeTable<FakeItemStore, kb_item_store_v1, kb_item_store> {
 public:
  FakeItemStore();

  std::function<kb_status(kb_item_sink, void*)> items = [](kb_item_sink, void*) { return KB_OK; };
  std::function<kb_status(kb_category_sink, void*)> categories = [](kb_category_sink, void*) { return KB_OK; };
  std::function<kb_status(kb_change_sink, void*, std::uint64_t*)> changes;
  std::function<kb_status(kb_category_views_sink, void*)> category_views;
  kb_status answer = KB_OK;  ///< result of every function without a sink
  std::string asked;         ///< arguments of the last call
  bool gives_no_writer = false;
  std::uint32_t is_held = 1;  ///< result for a lease
  int aborted = 0;            ///< calls with a deadline
};

class FakeSearchIndex final : public FakeTable<FakeSearchIndex, kb_search_index_v1, kb_search_index> {
 public:
  FakeSearchIndex();

  std::function<kb_status(const kb_search_request&, kb_hit_sink, kb_correction_sink, void*, kb_search_answer&)> search;
  std::vector<std::string> words;  ///< completions of suggest()
  kb_view fingerprint = lent("fake 1");
  kb_status answer = KB_OK;
  std::string asked;
  bool gives_no_writer = false;
  int aborted = 0;  ///< calls with a deadline
};

}  // namespace kbase::tests
