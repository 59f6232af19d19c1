// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "app/plugin_check/caller.hpp"

namespace kbase::plugin_check {

/// A small round of use of one port on one instance, at the level of the C table: what the general checks repeat under
/// one awkward circumstance after the other. What belongs to a tag never meets what belongs to another.
class SmokeTest {
 public:
  static constexpr int kTags = 10;

  virtual ~SmokeTest() = default;

  /// Puts something of its own into the instance, once for each tag. One thread at a time.
  virtual void write(Caller& caller, int tag) = 0;

  /// Reads back what write put, and expects just that. Any thread, any number of times.
  virtual void read(Caller& caller, int tag) = 0;

  /// Calls each function that has a sink with one that stops at its first row; needs tag 0 and 1 written. False: no
  /// function has a sink.
  virtual bool stop(Caller& caller) = 0;

  /// Has `impatient` make the calls that wait for somebody else: for a batch that `patient` has begun, say.
  virtual void contend(Caller& /*patient*/, Caller& /*impatient*/) {}
};

std::unique_ptr<SmokeTest> smoke_test_of(const kb_activity_store_v1& table, kb_activity_store* store);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_cache_v1& table, kb_cache* cache);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_item_store_v1& table, kb_item_store* store);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_key_store_v1& table, kb_key_store* store);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_rate_limit_store_v1& table, kb_rate_limit_store* store);
std::unique_ptr<SmokeTest> smoke_test_of(const kb_search_index_v1& table, kb_search_index* index);

/// A word of its own for each tag: letters alone, which no analysis takes for each other.
inline std::string word_of(int tag) {
  static constexpr std::array<std::string_view, SmokeTest::kTags> kWords{
      "alder", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel", "ivy", "juniper"};
  return std::string(kWords.at(static_cast<std::size_t>(tag)));
}

/// Expects a status and one row after a sink that stopped.
template <class Sink>
void expect_stopped(Caller& caller, const Turn& turn, const Sink& sink, kb_status status) {
  caller.expect(sink.rows() == 1, "there is a row to stop at", turn.told(status) + " without a row");
  caller.expect(status == KB_STOPPED, "a function whose sink says stop returns KB_STOPPED", turn.told(status));
}

}  // namespace kbase::plugin_check
