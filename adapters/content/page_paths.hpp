// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::content {

/// The language and the version of the product that a path names: "de/start", "pt-br/start", "start.de"; "v3.5/start",
/// "version-1.2.0/start". Empty: it names none.
struct PathFacts {
  std::string language, version;
};
PathFacts facts_of(std::string_view path);

}  // namespace kbase::content
