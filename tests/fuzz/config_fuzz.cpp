// SPDX-License-Identifier: Apache-2.0
// Any text can be loaded as YAML or as a --set option without a crash. A valid configuration can be printed.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/config/settings.hpp"
#include "app/config/yaml_tree.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase;
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)config::parse_yaml(text, "fuzz.yaml").has_value();

  config::LoadOptions options;
  options.sets = {text};
  options.environment = [](const std::string& name) { return std::optional<std::string>(name); };
  options.plugin_config = [](const config::ChosenPlugin&) {
    return config::PluginConfig{R"({"type": "object", "properties": {
      "url": {"type": "string"}, "token": {"type": "string", "writeOnly": true}, "n": {"type": "number"}}})"};
  };
  const auto settings = config::load(options);
  if (settings && config::print(*settings).empty()) std::abort();
  return 0;
}
