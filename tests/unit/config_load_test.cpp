// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "app/config/settings.hpp"
#include "domain/model/units.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::config {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPathSchema = R"({"type": "object", "properties": {
  "path": {"type": "string", "format": "path"}, "pool": {"type": "integer", "minimum": 1, "default": 4}}})";
constexpr std::string_view kKeptSchema = R"({"type": "object", "properties": {
  "path": {"type": "string", "format": "path", "default": "${data_dir}/index"}}})";
constexpr std::string_view kSharedSchema = R"({"type": "object", "properties": {
  "prefix": {"type": "string", "default": "${instance}:"}}})";
constexpr std::string_view kServiceSchema = R"({"type": "object", "required": ["base_url"], "properties": {
  "base_url": {"type": "string"}, "api_key": {"type": "string", "writeOnly": true, "default": ""}}})";

Result<PluginConfig> plugin_config(const ChosenPlugin& chosen) {
  const auto& [section, plugin, sha256, directories] = chosen;
  if (section == "llm" && plugin == "openai") return PluginConfig{kServiceSchema};
  if (plugin == "kept") return PluginConfig{kKeptSchema};
  if (plugin == "shared") return PluginConfig{kSharedSchema};
  if (plugin == "counting-together") return PluginConfig{kPathSchema, false, true};
  if (plugin == "sqlite" || plugin == "native" || plugin == "memory")
    return PluginConfig{kPathSchema, plugin == "memory"};
  return Error{ErrorCode::NotFound, "no '" + plugin + "' among " + std::to_string(directories.size())};
}

class LoadConfiguration : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(file_) << text; }

  Result<Settings> load_file(std::vector<std::string> sets = {}) { return load(options(file_, std::move(sets))); }
  Result<Settings> load_sets(std::vector<std::string> sets) { return load(options({}, std::move(sets))); }

  /// The error message without the file's folder.
  std::string defect(const Result<Settings>& settings) {
    if (settings) return "none";
    const std::string& message = settings.error().message;
    return message.starts_with(file_) ? message.substr(file_.size() - 6) : message;
  }
  std::string defect_of(const std::string& text) {
    write(text);
    return defect(load_file());
  }

  LoadOptions options(std::optional<std::string> file, std::vector<std::string> sets) {
    const auto variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      if (found == variables_.end()) return std::nullopt;
      return found->second;
    };
    return {std::move(file), std::move(sets), variable, plugin_config, further_check_};
  }

  tests::TemporaryFolder folder_;
  std::string file_ = (folder_.path() / "k.yaml").string();
  std::map<std::string, std::string> variables_;
  std::function<Status(const Settings&)> further_check_;
};

TEST_F(LoadConfiguration, UsesTheDefaultsOfTheContractWithoutAFile) {
  const auto settings = load_sets({});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->server.address, "127.0.0.1");
  EXPECT_EQ(settings->server.port, 8080);
  EXPECT_EQ(settings->server.base_path, "/api/v1");
  EXPECT_GE(settings->server.threads, 1u);
  EXPECT_EQ(settings->server.max_body_bytes, 1u << 20);
  EXPECT_TRUE(settings->server.trusted_proxies.empty());
  EXPECT_EQ(settings->server.cors.allowed_origins, std::vector<std::string>{"*"});
  EXPECT_FALSE(settings->admin.port);
  EXPECT_EQ(settings->data_dir, (std::filesystem::current_path() / "data").string());
  EXPECT_EQ(settings->storage.plugin, "sqlite");
  EXPECT_EQ(settings->storage.config, R"({"pool":4})");
  EXPECT_EQ(settings->rate_limit.when_unavailable, WhenUnavailable::Local);
  EXPECT_EQ(settings->codehost.plugin, "none");
  EXPECT_FALSE(settings->codehost.require_key);
  EXPECT_EQ(settings->codehost.fresh_for, 10min);
  EXPECT_EQ(settings->codehost.keep_for, 24h);
  EXPECT_EQ(settings->codehost.unknown_for, 1min);
  EXPECT_EQ(settings->codehost.cold_per_minute, 30u);
  EXPECT_EQ(settings->codehost.cold_per_minute_keyless, 3u);
  EXPECT_EQ(settings->codehost.timeout, 10s);
  EXPECT_EQ(settings->codehost.max_concurrent, 16u);
  EXPECT_EQ(settings->llm.plugin, "none");
  EXPECT_EQ(settings->upstream.proxy, "");
  EXPECT_EQ(settings->upstream.ca_file, "");
  EXPECT_EQ(settings->upstream.max_body_bytes, 16u << 20);
  EXPECT_EQ(settings->upstream.max_connections, 16u);
  EXPECT_EQ(settings->instance, "kbase");
  ASSERT_EQ(settings->plans.size(), 4u);
  EXPECT_EQ(settings->plans[0].name, "public");
  EXPECT_EQ(settings->plans[0].limits, (model::Limits{10, 1000}));
  EXPECT_EQ(settings->plans[2].limits, (model::Limits{300, 100000}));
  EXPECT_EQ(settings->plans[3].name, "visitor");
  EXPECT_EQ(settings->plans[3].limits, (model::Limits{120, 5000}));
}

TEST_F(LoadConfiguration, ReadsEverySectionOfAFile) {
  write(
      "server: { port: 0, header_timeout: 500ms, max_body_bytes: 64KiB, trusted_proxies: [10.0.0.0/8] }\n"
      "admin:\n  port: 9090\n"
      "data_dir: /srv/kb\n"
      "cache: { plugin: none, http_max_age: 5m }\n"
      "rate_limit: { when_unavailable: deny }\n"
      "upstream: { proxy: 'http://proxy.example:3128', no_proxy: [.example.org, 10.0.0.0/8], ca_file: /etc/ca.pem,\n"
      "            connect_timeout: 1s, first_byte_timeout: 2m, idle_timeout: 3s }\n"
      "codehost: { require_key: true, fresh_for: 0s, cold_per_minute: 0, timeout: 2s }\n"
      "logging: { level: warning, format: json, client_address: none }\n");
  const auto settings = load_file();
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->server.port, 0);
  EXPECT_EQ(settings->server.header_timeout, 500ms);
  EXPECT_EQ(settings->server.max_body_bytes, 65536u);
  EXPECT_EQ(settings->server.trusted_proxies, std::vector<std::string>{"10.0.0.0/8"});
  EXPECT_EQ(settings->admin.port, 9090);
  EXPECT_EQ(settings->data_dir, "/srv/kb");
  EXPECT_EQ(settings->cache.plugin, "none");
  EXPECT_EQ(settings->cache.http_max_age, 300s);
  EXPECT_EQ(settings->rate_limit.when_unavailable, WhenUnavailable::Deny);
  EXPECT_EQ(settings->upstream.proxy, "http://proxy.example:3128");
  EXPECT_EQ(settings->upstream.no_proxy, (std::vector<std::string>{".example.org", "10.0.0.0/8"}));
  EXPECT_EQ(settings->upstream.ca_file, "/etc/ca.pem");
  EXPECT_EQ(settings->upstream.connect_timeout, 1s);
  EXPECT_EQ(settings->upstream.first_byte_timeout, 120s);
  EXPECT_EQ(settings->upstream.idle_timeout, 3s);
  EXPECT_TRUE(settings->codehost.require_key);
  EXPECT_EQ(settings->codehost.fresh_for, 0s);
  EXPECT_EQ(settings->codehost.cold_per_minute, 0u);
  EXPECT_EQ(settings->codehost.timeout, 2s);
  EXPECT_EQ(settings->logging.level, ports::LogLevel::Warning);
  EXPECT_EQ(settings->logging.format, system::StderrLog::Format::Json);
  EXPECT_EQ(settings->logging.client_address, ClientAddress::None);
}

TEST_F(LoadConfiguration, UsesTheDefaultsForAnEmptyFileAndEmptySections) {
  EXPECT_EQ(defect_of(""), "none");
  EXPECT_EQ(defect_of("# nothing but a comment\n"), "none");
  EXPECT_EQ(defect_of("server:\nlogging:\n  level:\n"), "none");
}

TEST_F(LoadConfiguration, NamesFileLineAndKeyOfAnError) {
  EXPECT_EQ(defect_of("server:\n  adress: 127.0.0.1\n"),
            "k.yaml:2: server.adress: unknown key: did you mean 'address'?");
  EXPECT_EQ(defect_of("serverr:\n\n  port: 1\n"), "k.yaml:1: serverr: unknown key: did you mean 'server'?");
  EXPECT_EQ(defect_of("zzz: 1\n"), "k.yaml:1: zzz: unknown key");
  EXPECT_EQ(defect_of("server:\n  port: eighty\n"), "k.yaml:2: server.port: must be an integer");
  EXPECT_EQ(defect_of("server:\n  port: \"80\"\n"), "k.yaml:2: server.port: must be an integer");
  EXPECT_EQ(defect_of("server: { port: 65536 }\n"), "k.yaml:1: server.port: must be at most 65535");
  EXPECT_EQ(defect_of("server: { port: 80.5 }\n"), "k.yaml:1: server.port: must be an integer");
  EXPECT_EQ(defect_of("server: 5\n"), "k.yaml:1: server: must be an object");
  EXPECT_EQ(defect_of("instance: 5\n"), "k.yaml:1: instance: must be a string: put 5 in quotes");
  EXPECT_EQ(defect_of("logging:\n  level: loud\n"),
            "k.yaml:2: logging.level: must be one of: debug, info, warning, error");
  EXPECT_EQ(defect_of("server:\n  trusted_proxies:\n    - 10.0.0.0/8\n    - 10.0.0.0/33\n"),
            "k.yaml:4: server.trusted_proxies.1: must be a network such as 10.0.0.0/8 or 2001:db8::/32, or an address");
  EXPECT_EQ(defect_of("server: { header_timeout: 0s }\n"), "k.yaml:1: server.header_timeout: must be at least 1 ms");
  EXPECT_EQ(defect_of("server: { header_timeout: 10 }\n"),
            "k.yaml:1: server.header_timeout: must be a string: put 10 in quotes");
  EXPECT_EQ(defect_of("- a\n"), "k.yaml:1: must consist of sections written as KEY: VALUE");
}

TEST_F(LoadConfiguration, RejectsAmbiguousYaml) {
  EXPECT_EQ(defect_of("server:\n  port: 1\n  port: 2\n"), "k.yaml:3: server.port: duplicate key");
  EXPECT_EQ(defect_of("server: &a\n  port: 1\nadmin: *a\n"), "k.yaml:3: admin: aliases are not allowed");
  EXPECT_EQ(defect_of("server:\n  trusted_proxies: [&a ::1, *a]\n"),
            "k.yaml:2: server.trusted_proxies.1: aliases are not allowed");
  EXPECT_EQ(defect_of("instance: a\n---\ninstance: b\n"), "k.yaml: more than one document ('---') is not allowed");
  EXPECT_EQ(defect_of("instance: !!str 5\n"), "k.yaml:1: instance: tags are not allowed");
  EXPECT_EQ(defect_of("instance: \xFF\n"), "k.yaml: is not valid UTF-8");
  EXPECT_EQ(defect_of("instance: \"a\\_b\"\n").find("is not valid UTF-8"), std::string::npos) << "it is U+00A0";
  EXPECT_EQ(defect_of("server: [1\n").substr(0, 7), "k.yaml:");
}

TEST_F(LoadConfiguration, NamesTheMissingFile) {
  EXPECT_EQ(defect(load(options("/nowhere/k.yaml", {}))), "/nowhere/k.yaml: No such file or directory");
}

TEST_F(LoadConfiguration, RejectsADirectoryInPlaceOfAFile) {
  const std::string folder = folder_.path().string();
  EXPECT_EQ(defect(load(options(folder, {}))), folder + ": is a directory; specify a YAML file");
}

TEST_F(LoadConfiguration, ReportsThatAVariableInFlowStyleMustBeQuoted) {
  EXPECT_EQ(defect_of("server: { port: ${P} }\n"),
            "k.yaml:1: end of map flow not found; in flow style quote it: \"${P}\"");
  EXPECT_EQ(defect_of("server: {\n  address: '${A}',\n  port: ${P:-80}\n}\n"),
            "k.yaml:3: end of map flow not found; in flow style quote it: \"${P:-80}\"");
  EXPECT_EQ(defect_of("server: { address: \"${A}\"\n"), "k.yaml:2: end of map flow not found");
  EXPECT_EQ(defect_of("server:\n  port: 80\n  port: ${P:-81}\n"), "k.yaml:3: server.port: duplicate key");
}

TEST_F(LoadConfiguration, RejectsOnePortForTwoListeners) {
  constexpr const char* kTwice =
      "k.yaml:2: admin.port: must differ from server.port, because both use the same address";
  EXPECT_EQ(defect_of("server: { port: 80 }\nadmin: { port: 80 }\n"), kTwice);
  EXPECT_EQ(defect_of("server: { port: 80, address: 0.0.0.0 }\nadmin: { port: 80 }\n"), kTwice);
  EXPECT_EQ(defect_of("server: { port: 80, address: 10.0.0.1 }\nadmin: { port: 80 }\n"), "none");
  EXPECT_EQ(defect_of("server: { port: 80, address: 0.0.0.0 }\nadmin: { port: 80, address: '::1' }\n"), "none");
  EXPECT_EQ(defect_of("server: { port: 0 }\nadmin: { port: 0 }\n"), "none");
}

TEST_F(LoadConfiguration, ReportsTheErrorsOfAdditionalChecksWithTheirLine) {
  further_check_ = [](const Settings& settings) -> Status {
    if (settings.explorer.path.empty()) return {};
    return invalid_argument("explorer.path", settings.explorer.path + " has no pages");
  };
  EXPECT_EQ(defect_of("instance: a\n"), "none");
  EXPECT_EQ(defect_of("explorer:\n  path: /nope\n"), "k.yaml:2: explorer.path: /nope has no pages");
}

TEST_F(LoadConfiguration, OverridesAnyValue) {
  write("server: { port: 1, address: 127.0.0.1 }\n");
  const auto settings = load_file({"server.port=2", "server.port=3", "plans.gold.per_minute=7",
                                   "server.trusted_proxies=[10.0.0.0/8, '::1']", "server.cors.max_age=10s"});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->server.port, 3);
  EXPECT_EQ(settings->server.trusted_proxies, (std::vector<std::string>{"10.0.0.0/8", "::1"}));
  EXPECT_EQ(settings->server.cors.max_age, 10s);
  ASSERT_EQ(settings->plans.size(), 5u);
  EXPECT_EQ(settings->plans[4].name, "gold");
  EXPECT_EQ(settings->plans[4].limits, (model::Limits{7, 0}));
}

TEST_F(LoadConfiguration, NamesEveryDefect) {
  write("server: { prot: 1, address: [] }\nlogging:\n  level: loud\nkeys:\n  - { nmae: x, id: 7 }\n");
  const auto refused = load_file();
  ASSERT_FALSE(refused);
  std::vector<std::string> places;
  std::istringstream lines(refused.error().message);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find(": ") + 2;
    places.push_back(line.substr(begin, line.find(':', begin) - begin));
  }
  EXPECT_EQ(places,
            (std::vector<std::string>{"server.prot", "server.address", "keys.0.nmae", "keys.0.id", "logging.level"}))
      << refused.error().message;
}

TEST_F(LoadConfiguration, ReadsTheAddressOfTheSiteWithoutAPath) {
  EXPECT_EQ(load_sets({"explorer.url=https://docs.example.org/"})->explorer.url, "https://docs.example.org");
  EXPECT_EQ(load_sets({"explorer.url=http://docs.example.org:8080"})->explorer.url, "http://docs.example.org:8080");
  EXPECT_NE(defect(load_sets({"explorer.url=https://docs.example.org/manual"})).find("an address without a path"),
            std::string::npos);
}

TEST_F(LoadConfiguration, ReadsAColorOnlyInQuotes) {
  write("explorer:\n  accent: #0b6457\n");
  EXPECT_NE(defect(load_file()).find("2: explorer.accent: must be a color in quotes"), std::string::npos)
      << defect(load_file());
  write("explorer: { accent: '#0b6457' }\n");
  EXPECT_EQ(load_file()->explorer.accent, "#0b6457");
  EXPECT_EQ(load_sets({"explorer.accent=#0b6457"})->explorer.accent, "#0b6457") << "a comment would be no value";
  EXPECT_NE(defect(load_sets({"explorer.accent=teal"})).find("must be a color such as"), std::string::npos);
}

TEST_F(LoadConfiguration, NamesTheInvalidOverride) {
  EXPECT_EQ(defect(load_sets({"server.prot=2"})), "--set server.prot: unknown key: did you mean 'port'?");
  EXPECT_EQ(defect(load_sets({"server.port=x"})), "--set server.port: must be an integer");
  EXPECT_EQ(defect(load_sets({"server.port"})), "--set server.port: must be path.to.key=value");
  EXPECT_EQ(defect(load_sets({"server..port=1"})), "--set server..port: a part of the path is empty");
  EXPECT_EQ(defect(load_sets({"=1"})), "--set : a part of the path is empty");
  EXPECT_EQ(defect(load_sets({"server.port=[1"})).substr(0, 19), "--set server.port: ");
}

TEST_F(LoadConfiguration, ReplacesEnvironmentVariablesInValues) {
  variables_ = {{"PORT", "81"}, {"DIR", "/srv"}, {"EMPTY", ""}};
  write("server: { port: \"${PORT}\" }\ndata_dir: ${DIR}/${NAME:-kb}/${EMPTY:-x}/$${Y}\ninstance: ${I:-a}\n");
  const auto settings = load_file();
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->server.port, 81);
  EXPECT_EQ(settings->data_dir, "/srv/kb/x/${Y}");
  EXPECT_EQ(settings->instance, "a");
  EXPECT_EQ(defect_of("server:\n  address: ${HOST}\n"),
            "k.yaml:2: server.address: the environment variable HOST is not set");
  EXPECT_EQ(defect_of("server:\n  address: \"${HOST\"\n"), "k.yaml:2: server.address: '${' is not closed by '}'");
}

TEST_F(LoadConfiguration, ChecksAPluginsConfigByItsOwnSchema) {
  EXPECT_EQ(defect_of("storage:\n  config:\n    pth: x\n"),
            "k.yaml:3: storage.config.pth: unknown key: did you mean 'path'?");
  EXPECT_EQ(defect_of("storage:\n  config: { pool: 0 }\n"), "k.yaml:2: storage.config.pool: must be at least 1");
  EXPECT_EQ(defect_of("llm:\n  plugin: openai\n  config: { default_model: m }\n"),
            "k.yaml:3: llm.config.base_url: is required");
  EXPECT_EQ(defect_of("llm:\n  plugin: openai\n  config:\n    api_key: x\n    default_model: m\n"),
            "k.yaml:3: llm.config.base_url: is required");
}

TEST_F(LoadConfiguration, RequiresTheDefaultModelAndHidesItFromThePlugin) {
  EXPECT_EQ(defect_of("llm:\n  plugin: openai\n  config:\n    base_url: x\n"),
            "k.yaml:3: llm.config.default_model: is required");
  const auto settings = load_sets({"llm.plugin=openai", "llm.config.base_url=x", "llm.config.default_model=small"});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->llm.default_model, "small");
  EXPECT_EQ(settings->llm.config.find("small"), std::string::npos) << settings->llm.config;
}

TEST_F(LoadConfiguration, ReadsTheLimitsOfPrompts) {
  const auto defaults = load_sets({});
  ASSERT_TRUE(defaults) << defaults.error().message;
  EXPECT_EQ(defaults->llm.max_tokens, 4096u);
  EXPECT_EQ(defaults->llm.default_max_tokens, 1024u);
  EXPECT_EQ(defaults->llm.max_prompt_bytes, 32u * 1024);
  EXPECT_EQ(defaults->llm.timeout, 10s);
  EXPECT_EQ(defaults->llm.idle_timeout, 30s);
  EXPECT_EQ(defaults->llm.stream_timeout, 10min);
  EXPECT_EQ(defaults->llm.max_concurrent, 64u);
  EXPECT_EQ(defaults->llm.tokens_per_day, 0u);
  EXPECT_FALSE(defaults->llm.log_prompts);
  EXPECT_EQ(defaults->plans[0].llm_tokens_per_day, 10'000u);
  EXPECT_EQ(defaults->plans[1].llm_tokens_per_day, 50'000u);
  EXPECT_EQ(defaults->plans[2].llm_tokens_per_day, 1'000'000u);

  const auto settings = load_sets({"llm.allowed_models=[small, large]", "llm.log_prompts=true", "llm.timeout=1m",
                                   "llm.tokens_per_day=7", "plans.gold.llm_tokens_per_day=9"});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->llm.allowed_models, (std::vector<std::string>{"small", "large"}));
  EXPECT_TRUE(settings->llm.log_prompts);
  EXPECT_EQ(settings->llm.timeout, 1min);
  EXPECT_EQ(settings->llm.tokens_per_day, 7u);
  EXPECT_EQ(settings->plans[4].llm_tokens_per_day, 9u);
}

TEST_F(LoadConfiguration, ReportsWithItsLineWhyAPluginIsUnavailable) {
  EXPECT_EQ(defect_of("storage:\n  plugin: sqlight\n"), "k.yaml:2: storage.plugin: no 'sqlight' among 0");
  EXPECT_EQ(defect_of("llm: { plugin: postgres }\nplugins: { directories: [a, b] }\n"),
            "k.yaml:1: llm.plugin: no 'postgres' among 2");
  EXPECT_EQ(defect_of("storage: { plugin: none }\n"), "k.yaml:1: storage.plugin: no 'none' among 0");
}

TEST_F(LoadConfiguration, ReplacesTheDataFolderInAPluginsDefaults) {
  const auto settings = load_sets({"data_dir=/var/kb", "search.plugin=kept"});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->search.config, R"({"path":"/var/kb/index"})");
}

TEST_F(LoadConfiguration, ReplacesTheInstanceNameInADefaultThatBeginsWithIt) {
  const auto prefix = [&](std::vector<std::string> sets) {
    sets.emplace_back("rate_limit.plugin=shared");
    const auto settings = load_sets(sets);
    return settings ? settings->rate_limit.config : settings.error().message;
  };
  EXPECT_EQ(prefix({}), R"({"prefix":"kbase:"})");
  EXPECT_EQ(prefix({"instance=handbook"}), R"({"prefix":"handbook:"})");
  EXPECT_EQ(prefix({"rate_limit.config.prefix=mine"}), R"({"prefix":"mine"})");
}

TEST_F(LoadConfiguration, ReadsTheDigestOfAPluginFile) {
  const std::string digest(64, 'a');
  const auto settings = load_sets({"search.sha256=" + digest});
  ASSERT_TRUE(settings) << settings.error().message;
  Sha256 bytes{};
  bytes.fill(0xAA);
  EXPECT_EQ(settings->search.sha256, bytes);
  EXPECT_EQ(defect(load_sets({"search.sha256=abc"})), "--set search.sha256: must be 64 lower-case hexadecimal digits");
}

TEST_F(LoadConfiguration, MovesTheSourcesToLoadOutOfTheConfigOfMemory) {
  const auto settings = load_sets({"storage.plugin=memory", "storage.config.load=[a.jsonl, docs]"});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->storage.load, (std::vector<std::string>{"a.jsonl", "docs"}));
  EXPECT_EQ(settings->storage.config, R"({"pool":4})");
  EXPECT_EQ(defect(load_sets({"storage.config.load=[a.jsonl]"})), "--set storage.config.load: unknown key");
}

TEST_F(LoadConfiguration, RequiresASecretIfCountsLeaveTheProcess) {
  EXPECT_EQ(defect_of("rate_limit:\n  plugin: counting-together\n"),
            "k.yaml:1: rate_limit.secret: is required, because the plugin 'counting-together' is shared by several "
            "servers: set the same secret of at least 32 characters on all of them, for example the output of "
            "`openssl rand -hex 32`");
  EXPECT_EQ(defect_of("rate_limit:\n  secret: too short\n"),
            "k.yaml:2: rate_limit.secret: must have at least 32 characters");
  const std::string secret(32, 's');
  const auto settings = load_sets({"rate_limit.plugin=counting-together", "rate_limit.secret=" + secret});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->rate_limit.secret, secret);
  EXPECT_EQ(print(*settings).find(secret), std::string::npos);
}

TEST_F(LoadConfiguration, ReadsThePlansOfOrigins) {
  write(
      "rate_limit:\n  origins:\n    - { origin: 'https://docs.example.org', plan: premium }\n"
      "    - { origin: 'http://localhost:3000', plan: developer }\n");
  const auto settings = load_file();
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_EQ(settings->rate_limit.origins.size(), 2u);
  EXPECT_EQ(settings->rate_limit.origins[0].origin, "https://docs.example.org");
  EXPECT_EQ(settings->rate_limit.origins[0].plan, "premium");
  EXPECT_EQ(settings->rate_limit.origins[1].origin, "http://localhost:3000");
}

TEST_F(LoadConfiguration, RejectsOriginsThatNoBrowserSends) {
  for (const char* wrong : {"*", "docs.example.org", "https://docs.example.org/", "https://Docs.example.org",
                            "https://docs.example.org:443", "http://docs.example.org:80", "https://a@b.example"}) {
    const auto settings = load_sets({std::string("rate_limit.origins=[{origin: '") + wrong + "', plan: public}]"});
    ASSERT_FALSE(settings) << wrong;
    EXPECT_NE(settings.error().message.find("an origin as browsers send it"), std::string::npos)
        << settings.error().message;
  }
  EXPECT_EQ(defect_of("rate_limit:\n  origins:\n    - { origin: 'https://a.example', plan: gold }\n"),
            "k.yaml:3: rate_limit.origins.0.plan: there is no plan 'gold'");
  EXPECT_EQ(defect_of("rate_limit:\n  origins:\n    - { origin: 'https://a.example', plan: public }\n"
                      "    - { origin: 'https://a.example', plan: premium }\n"),
            "k.yaml:4: rate_limit.origins.1.origin: is listed twice");
}

TEST_F(LoadConfiguration, NeedsMailsAndPagesForAccounts) {
  const std::string open = "signup: {mode: open}\n";
  const std::string mail = "mail: {plugin: sqlite}\n";
  const std::string no_pages = "explorer: {enabled: false}\n";
  EXPECT_TRUE(defect_of(open).starts_with("k.yaml:1: signup.mode: needs mails"));
  EXPECT_TRUE(defect_of(open + mail + no_pages).starts_with("k.yaml:1: signup.mode: needs pages"));
  EXPECT_EQ(defect_of(open + mail), "none");
  EXPECT_EQ(defect_of("signup: {mode: open, public_url: 'https://a.example'}\n" + mail + no_pages), "none");
}

TEST_F(LoadConfiguration, AcceptsOnlyUnambiguousProxyAddresses) {
  for (const char* proxy : {"", "http://proxy.example", "https://proxy.example:3129/", "http://me:p%40ss@10.0.0.1:80",
                            "http://me@proxy.example", "http://[::1]:3128"})
    EXPECT_TRUE(load_sets({std::string("upstream.proxy='") + proxy + "'"})) << proxy;
  for (const char* wrong :
       {"proxy.example:3128", "socks5://proxy.example", "http://", "http://:3128", "http://a@b@c", "http://a/b@c",
        "http://proxy.example/path", "http://proxy.example?a", "http://proxy.example:0", "http://proxy.example:65536",
        "http://proxy.example:", "http://[::1", "http://[::1]x", "http://a b", "http://a\\b", "http://b\u00fccher"}) {
    const auto settings = load_sets({std::string("upstream.proxy='") + wrong + "'"});
    ASSERT_FALSE(settings) << wrong;
    EXPECT_TRUE(
        settings.error().message.starts_with("--set upstream.proxy: must be a proxy such as http://proxy.example:3128"))
        << settings.error().message;
  }
  EXPECT_EQ(
      defect_of("upstream:\n  no_proxy: [a.example, 'b.example, c.example']\n"),
      "k.yaml:2: upstream.no_proxy.1: must be a host, a domain, an address, a network such as 10.0.0.0/8, or \"*\"");
}

TEST_F(LoadConfiguration, HasNoKeyThatDisablesCertificateChecks) {
  EXPECT_EQ(defect(load_sets({"upstream.verify=false"})), "--set upstream.verify: unknown key");
}

TEST_F(LoadConfiguration, MakesPathsAbsolute) {
  const auto settings = load_sets({"storage.config.path=./x/../content.db"});
  ASSERT_TRUE(settings);
  const std::string path = (std::filesystem::current_path() / "content.db").string();
  EXPECT_EQ(settings->storage.config, R"({"path":")" + path + R"(","pool":4})");
}

TEST(Units, AreANumberWithOneUnit) {
  EXPECT_EQ(model::parse_duration("500ms"), 500ms);
  EXPECT_EQ(model::parse_duration("90d"), 90 * 24h);
  for (const char* wrong : {"", "10", "s", "1 s", "-1s", "1.5s", "1S", "1h30m", "99999999999999999999d", "999999d"})
    EXPECT_FALSE(model::parse_duration(wrong)) << wrong;
  EXPECT_EQ(model::parse_size("512"), 512u);
  EXPECT_EQ(model::parse_size("64KiB"), 65536u);
  EXPECT_EQ(model::parse_size("2GiB"), std::uint64_t{2} << 30);
  for (const char* wrong : {"", "KiB", "1KB", "1 MiB", "-1", "18446744073709551615", "9999999999GiB"})
    EXPECT_FALSE(model::parse_size(wrong)) << wrong;
}

}  // namespace
}  // namespace kbase::config
