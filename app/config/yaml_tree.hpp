// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"

namespace kbase::config {

/// A value of a YAML document and its position.
struct YamlNode {
  enum class Kind { Null, Scalar, List, Map };
  /// How a scalar was written: Plain may be a number or a boolean, Quoted is text. The value of an environment variable
  /// is Either: the schema of its key decides.
  enum class Style { Plain, Quoted, Either };

  Kind kind = Kind::Null;
  std::uint64_t line = 0;  ///< line of its key, or of the value itself in a list; 0: from --set
  std::string text;        ///< value of a scalar
  Style style = Style::Plain;
  std::vector<std::string> keys;   ///< keys of a map
  std::vector<YamlNode> children;  ///< entries of a list, or values of a map in the order of its keys

  /// Null: the map has no such key, or the node is not a map.
  const YamlNode* find(std::string_view key) const;
  YamlNode* find(std::string_view key);
};

/// Parses one document. Rejects aliases, tags, duplicate keys, keys that are not text, a second document, and invalid
/// UTF-8. An empty text is Null. InvalidArgument: "SOURCE:LINE: reason".
Result<YamlNode> parse_yaml(const std::string& text, std::string_view source);

/// Sets "path.to.key=value" in the tree and creates missing maps. The value is YAML. InvalidArgument: "--set
/// path.to.key: reason".
Status override_value(YamlNode& root, std::string_view set);

}  // namespace kbase::config
