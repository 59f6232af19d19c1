// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/prefix_set.hpp"

namespace kbase::text {

const PrefixSet& PrefixSet::all() {
  static const PrefixSet kAll = [] {
    PrefixSet all;
    all.known_.set();
    all.known_firsts_.set();
    return all;
  }();
  return kAll;
}

void PrefixSet::add(std::string_view word) {
  constexpr std::string_view kTwins = "iy";
  known_firsts_.set(static_cast<unsigned char>(word[0]));
  if (word.size() == 1) {
    for (unsigned second = 0; second < 256; ++second) known_.set(index_of(word[0], static_cast<char>(second)));
    return;
  }
  known_.set(index_of(word[0], word[1]));
  if (kTwins.find(word[1]) == std::string_view::npos) return;
  for (const char twin : kTwins) known_.set(index_of(word[0], twin));
}

}  // namespace kbase::text
