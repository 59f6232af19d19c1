// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <cstdint>
#include <functional>
#include <sstream>
#include <string>

#include "tests/plugins/host_fixture.hpp"

/// Fake tables as a plugin in C would have them; a test sets the functions' behavior.
namespace kbase::tests {

inline kb_item make_item(std::string_view id) {
  auto item = sized<kb_item>();
  item.id = to_view(id);
  item.title = to_view("Title");
  item.category = to_view("shelf");
  return item;
}

inline kb_category make_category(std::string_view id) {
  auto category = sized<kb_category>();
  category.id = to_view(id);
  category.name = to_view("Name");
  return category;
}

/// Base of every fake: records the settings of create and counts the calls of destroy. `Self` is the fake, to which
/// every instance of its table leads back; only one may exist at a time.
template <class Self, class Table, class Object> class FakeTable {
 public:
  FakeTable() {
    current = static_cast<Self*>(this);
    table = sized<Table>();
    table.create = [](const kb_host*, kb_call* call, kb_view settings, Object** instance) {
      current->config.assign(settings.data, settings.size);
      *instance = current->returns_no_instance ? nullptr : object();
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
  bool returns_no_instance = false;
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
      current->arguments.assign(username.data, username.size).append(" ").append(validator.data, validator.size);
      return current->look_up(call, *sink, *unchanged);
    };
  }

  std::function<kb_status(kb_call*, const kb_code_host_sink&, std::int32_t&)> look_up;
  std::string arguments;  ///< arguments of the last call
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
        auto described = sized<kb_completion>();
        described.model = to_view("small");
        completion(data, &described);
        return KB_OK;
      };
  std::string arguments;  ///< "MODEL: PROMPT (MAX_TOKENS, TEMPERATURE, stream)"

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
    arguments = words.str();
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
  std::string arguments;     ///< arguments of the last call
  bool returns_no_writer = false;
  std::uint32_t is_held = 1;  ///< result for a lease
  int aborted = 0;            ///< calls with a deadline
};

class FakeSearchIndex final : public FakeTable<FakeSearchIndex, kb_search_index_v1, kb_search_index> {
 public:
  FakeSearchIndex();

  std::function<kb_status(const kb_search_request&, kb_hit_sink, kb_correction_sink, void*, kb_search_answer&)> search;
  std::vector<std::string> words;  ///< completions of suggest()
  kb_view fingerprint = to_view("fake 1");
  kb_status answer = KB_OK;
  std::string arguments;
  bool returns_no_writer = false;
  int aborted = 0;  ///< calls with a deadline
};

}  // namespace kbase::tests
