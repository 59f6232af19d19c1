// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/cli/doctor/checks.hpp"
#include "app/plugin_host/abi_version.hpp"

namespace kbase::cli::doctor {
namespace {

/// Loads the settings without checking the plugins' own parts, so that a missing or broken plugin does not prevent the
/// other checks.
std::optional<config::Settings> settings_without_plugins(const ConfigArguments& arguments) {
  config::LoadOptions options;
  if (!arguments.file.empty()) options.file = arguments.file;
  options.sets = arguments.sets;
  options.plugin_config = [](const config::ChosenPlugin&) {
    return config::PluginConfig{R"({"type": "object", "additionalProperties": true})"};
  };
  auto settings = config::load(options);
  if (!settings) return std::nullopt;
  return *std::move(settings);
}

std::string facts_of(const plugin_host::Plugin& plugin) {
  const kb_plugin& descriptor = plugin.descriptor();
  return std::string(descriptor.id) + " " + descriptor.version + ", ABI " +
         plugin_host::text_of(descriptor.abi_major, descriptor.abi_minor) + ", " + plugin.path().string();
}

}  // namespace

ReadSettings check_configuration(const ConfigArguments& arguments, Findings& findings) {
  auto settings = load_settings_to_serve(arguments);
  if (settings) {
    findings.ok("configuration", arguments.file.empty() ? "the built-in defaults" : arguments.file + " is valid");
    return {*std::move(settings), true};
  }
  findings.fail(
      "configuration", text_of(settings.error()),
      "fix the configuration; `kbase config schema` describes every key and `kbase config check` checks it again");
  return {settings_without_plugins(arguments), false};
}

std::vector<Section> sections_of(const config::Settings& settings) {
  return {{"storage", settings.storage}, {"search", settings.search},     {"rate_limit", settings.rate_limit},
          {"cache", settings.cache},     {"codehost", settings.codehost}, {"llm", settings.llm}};
}

config::ChosenPlugin chosen(const config::Settings& settings, const Section& section) {
  return {section.name, section.backend.plugin, section.backend.sha256, settings.plugin_directories};
}

void check_plugins(const config::Settings& settings, Findings& findings) {
  for (const Section& section : sections_of(settings)) {
    const std::string check = "plugin." + std::string(section.name);
    if (section.backend.plugin == config::kNoPlugin) {
      findings.skip(check, "no plugin is configured");
      continue;
    }
    const auto plugin = composition::load_chosen_plugin(chosen(settings, section));
    if (plugin)
      findings.ok(check, facts_of(*plugin));
    else
      findings.fail(check, text_of(plugin.error()),
                    "select another plugin with " + std::string(section.name) +
                        ".plugin, or fix this one; `kbase plugin list` shows where plugins are searched and why a "
                        "plugin is rejected");
  }
}

std::filesystem::path missing_path(const config::Settings& settings, const Section& section) {
  const auto plugin = composition::load_chosen_plugin(chosen(settings, section));
  if (!plugin || (section.name == "search" && composition::has_shared_index(*plugin))) return {};
  const auto schema =
      nlohmann::json::parse(composition::config_schema(*plugin, section.name), nullptr, /*allow_exceptions=*/false);
  const auto config = nlohmann::json::parse(section.backend.config, nullptr, /*allow_exceptions=*/false);
  if (!schema.is_object() || !schema.contains("properties") || !config.is_object()) return {};
  for (const auto& [name, property] : schema["properties"].items()) {
    if (property.value("format", "") != "path" || !config.contains(name) || !config[name].is_string()) continue;
    std::filesystem::path path = config[name].get<std::string>();
    std::error_code unreadable;
    if (!path.empty() && !std::filesystem::exists(path, unreadable) && !unreadable) return path;
  }
  return {};
}

}  // namespace kbase::cli::doctor
