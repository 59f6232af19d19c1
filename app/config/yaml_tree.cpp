// SPDX-License-Identifier: Apache-2.0
#include "app/config/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <variant>

#include "adapters/base/yaml.hpp"
#include "domain/base/text.hpp"

namespace kbase::config {
namespace {

/// Thrown for YAML features that kbase does not support.
struct UnsupportedYaml final : YAML::ParserException {
  using ParserException::ParserException;
};

/// Builds the tree from yaml-cpp's events. Throws UnsupportedYaml for unsupported YAML; yaml-cpp throws its own
/// exceptions.
class TreeBuilder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(YamlNode{YamlNode::Kind::Null, line_of(mark), {}, {}, {}, {}}, mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { reject(mark, "aliases are not allowed"); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    if (tag != "?" && tag != "!") reject(mark, "tags are not allowed");
    std::string text = yaml::repaired(value);
    if (!utf8::is_valid(text)) reject(mark, "is not valid UTF-8");
    const auto style = tag == "?" ? YamlNode::Style::Plain : YamlNode::Style::Quoted;
    add(YamlNode{YamlNode::Kind::Scalar, line_of(mark), std::move(text), style, {}, {}}, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::List, mark, tag);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::Map, mark, tag);
  }
  void OnMapEnd() override { close(); }

  YamlNode root;

 private:
  struct Open {
    YamlNode node;
    bool has_key = false;
    std::uint64_t key_line = 0;
  };

  static std::uint64_t line_of(const YAML::Mark& mark) {
    return static_cast<std::uint64_t>(std::max(mark.line, 0)) + 1;
  }

  [[noreturn]] void reject(const YAML::Mark& mark, const std::string& reason) const {
    std::string path;
    for (const Open& parent : open_) {
      const bool is_map = parent.node.kind == YamlNode::Kind::Map;
      if (is_map && !parent.has_key) break;
      path +=
          (path.empty() ? "" : ".") + (is_map ? parent.node.keys.back() : std::to_string(parent.node.children.size()));
    }
    throw UnsupportedYaml(mark, path + (path.empty() ? "" : ": ") + reason);
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    if (tag != "?" && !tag.empty()) reject(mark, "tags are not allowed");
    if (expects_key()) reject(mark, "a key must be text");
    open_.push_back({YamlNode{kind, line_of(mark), {}, {}, {}, {}}, false, 0});
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node), {});
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::Map && !open_.back().has_key;
  }

  void add(YamlNode node, const YAML::Mark& mark) {
    if (open_.empty())
      root = std::move(node);
    else if (expects_key())
      add_key(node, mark);
    else
      add_value(std::move(node));
  }

  void add_key(const YamlNode& key, const YAML::Mark& mark) {
    Open& map = open_.back();
    if (key.kind != YamlNode::Kind::Scalar) reject(mark, "a key must be text");
    const bool twice = map.node.find(key.text) != nullptr;
    map.node.keys.push_back(key.text);
    map.has_key = true;
    if (twice) reject(mark, "duplicate key");
    map.key_line = key.line;
  }

  void add_value(YamlNode node) {
    Open& parent = open_.back();
    if (std::exchange(parent.has_key, false)) node.line = parent.key_line;
    parent.node.children.push_back(std::move(node));
  }

  std::vector<Open> open_;
};

/// Why the text was rejected, and the line; 0: the text as a whole.
struct Defect {
  std::uint64_t line = 0;
  std::string reason;
};

std::string_view line_at(std::string_view text, std::uint64_t number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// Returns the first "${...}" outside quotes; empty if not found.
std::string_view bare_variable(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\0' && line.substr(i).starts_with("${")) {
      const std::size_t end = line.find('}', i);
      return end == line.npos ? std::string_view() : line.substr(i, end + 1 - i);
    }
    if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = '\0';
  }
  return {};
}

/// Returns a hint for a variable in flow style, where YAML itself interprets the brace.
std::string quoting_hint(std::string_view text, std::uint64_t line) {
  const std::string_view variable = bare_variable(line_at(text, line));
  return variable.empty() ? "" : "; in flow style quote it: \"" + std::string(variable) + '"';
}

Defect defect_of(const YAML::Exception& error) {
  return {static_cast<std::uint64_t>(std::max(error.mark.line, -1) + 1), error.msg};
}

std::variant<YamlNode, Defect> parse(const std::string& text) {
  if (!utf8::is_valid(text)) return Defect{0, "is not valid UTF-8"};
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder tree, second;
    parser.HandleNextDocument(tree);
    if (parser.HandleNextDocument(second)) return Defect{0, "more than one document ('---') is not allowed"};
    return std::move(tree.root);
  } catch (const UnsupportedYaml& unsupported) {
    return defect_of(unsupported);
  } catch (const YAML::Exception& error) {
    Defect defect = defect_of(error);
    defect.reason += quoting_hint(text, defect.line);
    return defect;
  }
}

void clear_lines(YamlNode& node) {
  node.line = 0;
  for (YamlNode& child : node.children) clear_lines(child);
}

/// Returns the child of a map; a missing one is created as Null.
YamlNode& child_of(YamlNode& map, std::string_view key) {
  if (YamlNode* child = map.find(key)) return *child;
  map.keys.emplace_back(key);
  return map.children.emplace_back();
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &children[static_cast<std::size_t>(found - keys.begin())];
}

YamlNode* YamlNode::find(std::string_view key) { return const_cast<YamlNode*>(std::as_const(*this).find(key)); }

Result<YamlNode> parse_yaml(const std::string& text, std::string_view source) {
  auto outcome = parse(text);
  if (auto* node = std::get_if<YamlNode>(&outcome)) return std::move(*node);
  const auto& defect = std::get<Defect>(outcome);
  const std::string line = defect.line == 0 ? std::string() : ":" + std::to_string(defect.line);
  return invalid_argument({}, std::string(source) + line + ": " + defect.reason);
}

Status override_value(YamlNode& root, std::string_view set) {
  const std::size_t equals = set.find('=');
  const std::string path(set.substr(0, equals));
  const std::string source = "--set " + path;
  if (equals == std::string_view::npos) return invalid_argument({}, source + ": must be path.to.key=value");
  YamlNode* node = &root;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    if (dot == start) return invalid_argument({}, source + ": a part of the path is empty");
    if (node->kind != YamlNode::Kind::Map) *node = {YamlNode::Kind::Map, node->line, {}, {}, {}, {}};
    node = &child_of(*node, std::string_view(path).substr(start, dot - start));
    start = dot + 1;
  }
  const std::string text(set.substr(equals + 1));
  // A color begins like a comment, and a comment would be no value.
  auto value = text.starts_with('#') ? parse('"' + text + '"') : parse(text);
  if (const auto* defect = std::get_if<Defect>(&value)) return invalid_argument({}, source + ": " + defect->reason);
  *node = std::get<YamlNode>(std::move(value));
  clear_lines(*node);
  return {};
}

}  // namespace kbase::config
