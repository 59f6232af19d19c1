// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/plugin_host/descriptor_check.hpp"
#include "app/plugin_host/plugin.hpp"
#include "domain/base/result.hpp"

namespace kbase::cli {
namespace {

/// Replaces this process by the checker, whose exit code becomes the command's. The checker is a separate program, so
/// that the server does not contain its checks.
int become_checker(std::vector<std::string> arguments) {
  const std::filesystem::path checker = plugin_host::own_program().parent_path() / "kbase-plugin-check";
  arguments.insert(arguments.begin(), checker.string());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(checker.c_str(), pointers.data());
  return fail_usage(
      {ErrorCode::Unavailable, "cannot run " + checker.string() + ": " + std::strerror(errno) +
                                   "; install the package for plugin development (on Debian kbase-plugin-dev)"});
}

void add_plugin_check(Command group) {
  group.command("check", "check a plugin against the contract of <kbase/plugin.h>").set_raw_action(become_checker);
}

using Json = nlohmann::ordered_json;

struct PluginArguments {
  ConfigArguments config;
  bool as_json = false;
};

/// A plugin file and the result of loading it.
struct ListedPlugin {
  std::string name;
  std::filesystem::path file;
  std::filesystem::path hidden_by;  ///< the file with the same name that is found first; empty: none
  Result<plugin_host::Plugin> plugin;
};

/// Returns the plugin directories. Ignores all other settings, so that a missing or broken plugin in a section does not
/// prevent the diagnosis.
Result<std::vector<std::filesystem::path>> directories_of(const ConfigArguments& arguments) {
  config::LoadOptions options;
  if (!arguments.file.empty()) options.file = arguments.file;
  options.sets = arguments.sets;
  options.plugin_config = [](const config::ChosenPlugin&) {
    return config::PluginConfig{R"({"type": "object", "additionalProperties": true})"};
  };
  const auto settings = KBASE_TRY(config::load(options));
  return plugin_host::plugin_directories(settings.plugin_directories, plugin_host::own_program());
}

std::vector<ListedPlugin> listed_in(const std::vector<std::filesystem::path>& directories) {
  std::vector<ListedPlugin> listed;
  std::map<std::string, std::filesystem::path> first;
  for (const std::filesystem::path& file : plugin_host::list_plugins(directories)) {
    const std::string name = plugin_host::plugin_name_of(file);
    const auto [found, is_first] = first.emplace(name, file);
    listed.push_back(
        {name, file, is_first ? std::filesystem::path() : found->second, plugin_host::load_plugin(file, {})});
  }
  return listed;
}

std::string abi_of(const plugin_host::Plugin& plugin) {
  return plugin_host::text_of(plugin.descriptor().abi_major, plugin.descriptor().abi_minor);
}

/// Calls `visit(port, start of its table)` for each port that the plugin implements.
template <class Visit> void for_each_port(const plugin_host::Plugin& plugin, Visit visit) {
  for (const plugin_host::KnownPort& port : plugin_host::known_ports())
    if (const auto* table = plugin.table<void>(port.id)) visit(port, plugin_host::start_of(table));
}

Json json_of(const ListedPlugin& listed) {
  const kb_plugin& descriptor = listed.plugin->descriptor();
  Json ports = Json::array();
  for_each_port(*listed.plugin, [&](const plugin_host::KnownPort& port, const plugin_host::TableStart& start) {
    ports.push_back({{"id", port.id},
                     {"capabilities", names_of(start.capabilities, port.capabilities)},
                     {"inline", names_of(start.inline_calls, port.inline_calls)},
                     {"serial", (start.flags & KB_TABLE_SERIAL) != 0}});
  });
  return {{"name", listed.name},
          {"file", listed.file.string()},
          {"id", descriptor.id},
          {"version", descriptor.version},
          {"vendor", descriptor.vendor},
          {"license", descriptor.license},
          {"abi", abi_of(*listed.plugin)},
          {"ports", std::move(ports)},
          {"hidden_by", listed.hidden_by.empty() ? Json() : Json(listed.hidden_by.string())}};
}

void print_json(const std::vector<std::filesystem::path>& directories, const std::vector<ListedPlugin>& listed) {
  Json searched = Json::array(), plugins = Json::array(), refused = Json::array();
  for (const std::filesystem::path& directory : directories) searched.push_back(directory.string());
  for (const ListedPlugin& one : listed)
    if (one.plugin)
      plugins.push_back(json_of(one));
    else
      refused.push_back({{"name", one.name}, {"file", one.file.string()}, {"reason", one.plugin.error().message}});
  const Json all = {{"directories", searched}, {"plugins", plugins}, {"refused", refused}};
  std::puts(all.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

using Row = std::array<std::string, 7>;

/// Returns for example "persist, inline reads"; "-": none.
std::string abilities(const plugin_host::KnownPort& port, const plugin_host::TableStart& start) {
  std::vector<std::string> names = names_of(start.capabilities, port.capabilities);
  for (const std::string& call : names_of(start.inline_calls, port.inline_calls)) names.push_back("inline " + call);
  if ((start.flags & KB_TABLE_SERIAL) != 0) names.emplace_back("serial");
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text.empty() ? "-" : text;
}

/// Appends a row for each port. Only the first one contains the plugin's own properties.
void append_rows(std::vector<Row>& rows, const ListedPlugin& listed) {
  const kb_plugin& descriptor = listed.plugin->descriptor();
  Row row{listed.name, descriptor.version, descriptor.license, abi_of(*listed.plugin), {}, {}, listed.file};
  if (!listed.hidden_by.empty()) row.back() += " (hidden by " + listed.hidden_by.string() + ")";
  for_each_port(*listed.plugin, [&](const plugin_host::KnownPort& port, const plugin_host::TableStart& start) {
    row[4] = port.id;
    row[5] = abilities(port, start);
    rows.push_back(std::move(row));
    row = {};
  });
}

void print_table(const std::vector<Row>& rows) {
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line.append(row[i]).append(widths[i] - row[i].size() + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    std::puts(line.c_str());
  }
}

void print_for_people(const std::vector<std::filesystem::path>& directories, const std::vector<ListedPlugin>& listed) {
  std::vector<Row> rows{{"NAME", "VERSION", "LICENCE", "ABI", "PORT", "CAPABILITIES", "FILE"}};
  for (const ListedPlugin& one : listed)
    if (one.plugin) append_rows(rows, one);
  if (rows.size() > 1) print_table(rows);
  for (const ListedPlugin& one : listed)
    if (!one.plugin) std::printf("refused: %s\n", one.plugin.error().message.c_str());
  if (!listed.empty()) return;
  std::fputs("kbase: no plugin found in these directories:\n", stderr);
  for (const std::filesystem::path& directory : directories) std::fprintf(stderr, "  %s\n", directory.c_str());
}

/// A rejected plugin is part of the list, so it is not a failure of the command.
int list(const PluginArguments& arguments) {
  const auto directories = directories_of(arguments.config);
  if (!directories) return fail_usage(directories.error());
  const std::vector<ListedPlugin> listed = listed_in(*directories);
  if (arguments.as_json)
    print_json(*directories, listed);
  else
    print_for_people(*directories, listed);
  return kSuccess;
}

}  // namespace

void add_plugin(Command root) {
  const auto arguments = std::make_shared<PluginArguments>();
  Command group = root.group("plugin", "list and check plugins");
  Command listed = group.command("list", "list the plugins found, and why a plugin is rejected");
  add_config_options(listed, arguments->config);
  listed.flag("--json", arguments->as_json, "print one JSON object");
  listed.set_action([arguments] { return list(*arguments); });
  add_plugin_check(group);
}

}  // namespace kbase::cli
