// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ports/driven/content_source.hpp"

namespace kbase::cli {

/// Counts the records that have members which kbase knows nothing of, by member, since a misspelt one is lost without a
/// word otherwise. One thread.
class UnknownMembers {
 public:
  void count(const ports::UnknownMembers& of_record);

  /// A line for each of the members that most records have, with the one that it was probably meant to be. Of those
  /// that were kept only such as are near one.
  std::vector<std::string> lines() const;

 private:
  using Records = std::unordered_map<std::string, std::uint64_t>;  // by member
  static void count(Records& records, model::TextList members);

  Records passed_over_, kept_;
};

}  // namespace kbase::cli
