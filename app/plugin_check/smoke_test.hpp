// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "app/plugin_check/caller.hpp"

namespace kbase::plugin_check {

/// A minimal use of one port on one instance through the C table. The general checks repeat it under different
/// conditions. Data of different tags do not affect each other.
class SmokeTest {
 public:
  static constexpr int kTags = 10;

  virtual ~SmokeTest() = default;

  /// Writes the tag's data to the instance, once for each tag. One thread at a time.
  virtual void write(Caller& caller, int tag) = 0;

  /// Reads the data of write() back and expects exactly them. Thread-safe; may be repeated.
  virtual void read(Caller& caller, int tag) = 0;

  /// Calls each function that has a sink, with a sink that stops at its first row. Tags 0 and 1 must have been written.
  /// False: no function has a sink.
  virtual bool stop(Caller& caller) = 0;

  /// Makes `impatient` call functions that block on others, for example on a batch that `patient` has begun.
  virtual void contend(Caller& /*patient*/, Caller& /*impatient*/) {}
};

std::unique_ptr<SmokeTest> smoke_test_of(const kb_activity_store_v1& table, kb_activity_store* store);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_cache_v1& table, kb_cache* cache);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_item_store_v1& table, kb_item_store* store);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_key_store_v1& table, kb_key_store* store);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_rate_limit_store_v1& table, kb_rate_limit_store* store);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_search_index_v1& table, kb_search_index* index);

/// Returns a distinct word for each tag, of letters only, which no text analysis confuses with another.
inline std::string word_of(int tag) {
  static constexpr std::array<std::string_view, SmokeTest::kTags> kWords{
      "alder", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel", "ivy", "juniper"};
  return std::string(kWords.at(static_cast<std::size_t>(tag)));
}

/// Expects KB_STOPPED and exactly one row.
template <class Sink>
void expect_stopped(Caller& caller, const Turn& turn, const Sink& sink, kb_status status) {
  caller.expect(sink.rows() == 1, "there is a row to stop at", turn.told(status) + " without a row");
  caller.expect(status == KB_STOPPED, "a function whose sink says stop returns KB_STOPPED", turn.told(status));
}

}  // namespace kbase::plugin_check
