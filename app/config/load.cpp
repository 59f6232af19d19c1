// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "app/config/formats.hpp"
#include "app/config/schema.hpp"
#include "app/config/yaml_tree.hpp"
#include "domain/base/result.hpp"

namespace kbase::config {
namespace {

std::optional<std::string> process_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

/// Whether listeners on these addresses conflict if they use the same port.
bool overlap(const std::string& address, const std::string& other) {
  const auto is_any = [](const std::string& text) { return text == "0.0.0.0" || text == "::"; };
  const auto is_ipv6 = [](const std::string& text) { return text.find(':') != text.npos; };
  return address == other || (is_ipv6(address) == is_ipv6(other) && (is_any(address) || is_any(other)));
}

/// One load of the configuration: the tree from the file and the overrides, the schema with those of the selected
/// plugins, and the check of the tree against the schema.
class Loader {
 public:
  explicit Loader(const LoadOptions& options)
      : options_(options), file_(options.file.value_or("")), check_(file_), schema_(host_schema()) {}

  Result<Settings> settings() {
    KBASE_TRY(read_tree());
    KBASE_TRY(expand_all(root_, ""));
    for (const std::string_view section : kPluginSections) KBASE_TRY(choose_plugin(std::string(section)));
    const auto checked = KBASE_TRY(check_.check(root_, schema_));
    KBASE_TRY(check_listeners(checked));
    KBASE_TRY(check_keys(checked));
    KBASE_TRY(check_rate_limit(checked));
    KBASE_TRY(check_sign_up(checked));
    Settings settings = settings_of(checked, storage_is_ephemeral_);
    settings.shown = hidden(checked, schema_).dump();
    KBASE_TRY(run_extra_check(settings));
    return settings;
  }

 private:
  Status read_tree() {
    root_.kind = YamlNode::Kind::Map;
    if (options_.file) {
      if (std::error_code missing; std::filesystem::is_directory(file_, missing))
        return invalid_argument({}, file_ + ": is a directory; specify a YAML file");
      std::ifstream stream(file_, std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(stream)), {});
      if (!stream.is_open() || stream.bad())
        return invalid_argument({}, file_ + ": " + std::generic_category().message(errno));
      auto parsed = KBASE_TRY(parse_yaml(text, file_));
      if (parsed.kind == YamlNode::Kind::Null) parsed = {YamlNode::Kind::Map, 1, {}, {}, {}, {}};
      root_ = std::move(parsed);
      if (root_.kind != YamlNode::Kind::Map)
        return check_.error_at(root_, "", "must consist of sections written as KEY: VALUE");
    }
    for (const std::string& set : options_.sets) KBASE_TRY(override_value(root_, set));
    return {};
  }

  Status expand_all(YamlNode& node, const std::string& path) {
    if (node.kind == YamlNode::Kind::Scalar) {
      auto expanded = expand(node.text, options_.environment ? options_.environment : process_variable);
      if (!expanded) return check_.error_at(root_, path, expanded.error().message);
      if (!*expanded) return {};
      node.text = **std::move(expanded);
      node.style = YamlNode::Style::Either;
    }
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const std::string key = node.kind == YamlNode::Kind::Map ? node.keys[i] : std::to_string(i);
      auto done = expand_all(node.children[i], path.empty() ? key : path + "." + key);
      if (!done) return done;
    }
    return {};
  }

  /// Replaces the open schema of the section's `config` by the schema of its plugin.
  Status choose_plugin(const std::string& section) {
    Json& properties = schema_["properties"][section]["properties"];
    YamlNode* node = root_.find(section);
    const YamlNode* chosen = node == nullptr ? nullptr : node->find("plugin");
    const bool given = chosen != nullptr && chosen->kind == YamlNode::Kind::Scalar;
    const std::string plugin = given ? chosen->text : properties["plugin"]["default"].get<std::string>();
    if (plugin == kNoPlugin && is_optional(section)) return {};
    const std::string digest = text_in(node, "sha256");
    if (const auto expected = format_defect("sha256", digest); !digest.empty() && !expected.empty())
      return check_.error_at(root_, section + ".sha256", "must be " + std::string(expected));
    const auto found = options_.plugin_config({section, plugin, parse_sha256(digest), directories()});
    if (!found) return check_.error_at(root_, section + ".plugin", found.error().message);
    Json schema = Json::parse(found->schema, nullptr, /*allow_exceptions=*/false);
    if (!schema.is_object())
      return check_.error_at(root_, section + ".plugin", "the schema of plugin '" + plugin + "' is not a JSON object");
    for (Json& property : schema["properties"]) expand_default(property);
    if (section == "rate_limit") rate_limiter_is_shared_ = found->is_shared;
    if (section == "storage" && found->is_ephemeral) {
      storage_is_ephemeral_ = true;
      add_load(schema);
    }
    if (section == "llm") add_default_model(schema);
    properties["config"] = std::move(schema);
    if (given) ensure_config(*node, chosen->line);
    return {};
  }

  /// Adds an empty `config` if the selected section has none, so that the check reports the members it lacks.
  static void ensure_config(YamlNode& section, std::uint64_t line) {
    if (section.find("config") == nullptr) {
      section.keys.emplace_back("config");
      section.children.emplace_back();
    }
    YamlNode& config = *section.find("config");
    if (config.kind == YamlNode::Kind::Null) config = {YamlNode::Kind::Map, line, {}, {}, {}, {}};
  }

  /// Adds `load`, which the program itself handles for a store that is not persistent. The plugin does not receive it.
  static void add_load(Json& schema) {
    schema["properties"]["load"] = {{"type", "array"},
                                    {"items", {{"type", "string"}}},
                                    {"default", Json::array()},
                                    {"description", "Sources to import at start, as for `kbase import`."}};
  }

  /// Adds `default_model`, which the program itself handles for every language model. The plugin does not receive it.
  static void add_default_model(Json& schema) {
    schema["properties"]["default_model"] = {
        {"type", "string"}, {"minLength", 1}, {"description", "The model of requests that do not set one."}};
    schema["required"].push_back("default_model");
  }

  static bool is_optional(std::string_view section) {
    return section == "cache" || section == "codehost" || section == "llm" || section == "mail";
  }

  static std::string text_in(const YamlNode* map, std::string_view key) {
    const YamlNode* value = map == nullptr ? nullptr : map->find(key);
    return value != nullptr && value->kind == YamlNode::Kind::Scalar ? value->text : std::string();
  }

  /// Not validated here: the check against the schema reports an invalid list.
  std::vector<std::string> directories() {
    std::vector<std::string> listed;
    const YamlNode* plugins = root_.find("plugins");
    const YamlNode* list = plugins == nullptr ? nullptr : plugins->find("directories");
    if (list == nullptr) return listed;
    for (const YamlNode& entry : list->children) listed.push_back(absolute_path(entry.text));
    return listed;
  }

  /// Expands ${data_dir} or ${instance} at the start of a plugin's default.
  void expand_default(Json& property) {
    const auto value = property.find("default");
    if (value == property.end() || !value->is_string()) return;
    std::string text = value->get<std::string>();
    for (const char* const key : {"data_dir", "instance"}) {
      const std::string name = "${" + std::string(key) + "}";
      if (!text.starts_with(name)) continue;
      const std::string given = text_in(&root_, key);
      const std::string own = given.empty() ? schema_["properties"][key]["default"].get<std::string>() : given;
      *value = text.replace(0, name.size(), own);
      return;
    }
  }

  Status run_extra_check(const Settings& settings) const {
    if (!options_.extra_check) return {};
    const auto valid = options_.extra_check(settings);
    return valid ? valid : check_.error_at(root_, valid.error().parameter, valid.error().message);
  }

  Status check_listeners(const Json& checked) const {
    const Json &server = checked["server"], &admin = checked["admin"];
    const bool is_shared = admin.contains("port") && admin["port"] != 0 && admin["port"] == server["port"];
    if (!is_shared || !overlap(admin["address"].get<std::string>(), server["address"].get<std::string>())) return {};
    return check_.error_at(root_, "admin.port", "must differ from server.port, because both use the same address");
  }

  /// Checks the rules for `keys` that the schema cannot express.
  Status check_keys(const Json& checked) const {
    const Json& keys = checked["keys"];
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string path = "keys." + std::to_string(i);
      if (keys[i].contains("sha256") == keys[i].contains("key"))
        return check_.error_at(root_, path, "must have either sha256 or key");
      KBASE_TRY(check_plan(checked, keys[i], path));
      for (std::size_t j = 0; j < i; ++j)
        if (keys[j]["id"] == keys[i]["id"])
          return check_.error_at(root_, path + ".id", "is also the id of another key");
    }
    return {};
  }

  /// Checks the rules for `rate_limit` that the schema cannot express.
  Status check_rate_limit(const Json& checked) const {
    const Json& limit = checked["rate_limit"];
    if (rate_limiter_is_shared_ && !limit.contains("secret"))
      return check_.error_at(root_, "rate_limit.secret",
                             "is required, because the plugin '" + limit["plugin"].get<std::string>() +
                                 "' is shared by several servers: set the same secret of at least 32 characters on "
                                 "all of them, for example the output of `openssl rand -hex 32`");
    const Json& origins = limit["origins"];
    for (std::size_t i = 0; i < origins.size(); ++i) {
      const std::string path = "rate_limit.origins." + std::to_string(i);
      KBASE_TRY(check_plan(checked, origins[i], path));
      for (std::size_t j = 0; j < i; ++j)
        if (origins[j]["origin"] == origins[i]["origin"])
          return check_.error_at(root_, path + ".origin", "is listed twice");
    }
    return {};
  }

  /// Checks the rules for `signup` that the schema cannot express.
  Status check_sign_up(const Json& checked) const {
    const Json& signup = checked["signup"];
    KBASE_TRY(check_plan(checked, signup, "signup"));
    if (signup["mode"] == "off") return {};
    if (checked["mail"]["plugin"] == kNoPlugin)
      return check_.error_at(root_, "signup.mode",
                             "needs mails, because people sign in by a mailed link: set mail.plugin to smtp or outbox");
    if (checked["explorer"]["enabled"] == true || signup["public_url"] != "") return {};
    return check_.error_at(root_, "signup.mode",
                           "needs pages, because the link in a mail leads to one: set explorer.enabled, or "
                           "signup.public_url to a site that has the page /account/confirm");
  }

  Status check_plan(const Json& checked, const Json& named, const std::string& path) const {
    const std::string plan = named["plan"].get<std::string>();
    if (checked["plans"].contains(plan)) return {};
    return check_.error_at(root_, path + ".plan", "there is no plan '" + plan + "'");
  }

  const LoadOptions& options_;
  std::string file_;
  SchemaCheck check_;
  Json schema_;
  YamlNode root_;
  bool storage_is_ephemeral_ = false;
  bool rate_limiter_is_shared_ = false;
};

}  // namespace

Result<Settings> load(const LoadOptions& options) { return Loader(options).settings(); }

std::string schema_text() {
  constexpr int kIndent = 2;
  return host_schema().dump(kIndent);
}

}  // namespace kbase::config
