// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "domain/base/text.hpp"

namespace kbase::markup {

/// Returns the anchor that GitHub and Docusaurus give to a heading (github-slugger): letters in lower case, digits,
/// marks, connectors and hyphens are kept, each space becomes a hyphen, every other character is dropped.
std::string slug_of(std::string_view heading);

/// Makes the anchors of one document unique: a repeated one gets "-1", "-2" and so on.
class Anchors {
 public:
  std::string add(std::string anchor);

 private:
  TextMap<unsigned> used_;  // anchor to the last number tried
};

}  // namespace kbase::markup
