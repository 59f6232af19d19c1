// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/result.hpp"

namespace kbase::config {

/// A value of a YAML document and where it was written.
struct YamlNode {
  enum class Kind { Null, Scalar, List, Map };
  /// How a scalar was written: plainly, so that it may be a number or a boolean, or as text. Of an environment
  /// variable's value nobody can tell: it is what its key wants.
  enum class Style { Plain, Quoted, Either };

  Kind kind = Kind::Null;
  std::uint64_t line = 0;  ///< of its key, or of itself in a list; 0: it came by --set
  std::string text;        ///< of a scalar
  Style style = Style::Plain;
  std::vector<std::string> keys;   ///< of a map
  std::vector<YamlNode> children;  ///< of a list, or of a map in the order of its keys

  /// Null where the map has no such key, or the node is no map.
  const YamlNode* find(std::string_view key) const;
  YamlNode* find(std::string_view key);
};

/// Parses one document. Refused, with the line: aliases, tags, a key given twice, a key that is no text, a
/// second document, invalid UTF-8. An empty text is Null. InvalidArgument: "SOURCE:LINE: reason".
model::Result<YamlNode> parse_yaml(const std::string& text, std::string_view source);

/// Puts "path.to.key=value" into the tree, making the maps on the way; the value is YAML.
/// InvalidArgument: "--set path.to.key: reason".
model::Status override_value(YamlNode& root, std::string_view set);

}  // namespace kbase::config
