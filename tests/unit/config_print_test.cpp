// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/system/system_crypto.hpp"
#include "app/config/settings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::config {
namespace {

constexpr std::string_view kServerSchema = R"({"type": "object", "properties": {
  "url": {"type": "string", "format": "server-url", "writeOnly": true, "default": "redis://127.0.0.1"}}})";
constexpr std::string_view kServiceSchema = R"({"type": "object", "properties": {
  "base_url": {"type": "string", "default": ""},
  "headers": {"type": "object", "additionalProperties": {"type": "string", "writeOnly": true}, "properties": {}},
  "api_key": {"type": "string", "writeOnly": true, "default": ""}}})";

/// Has the format of a key, but is not a real one.
const std::string kKey = "kb_0123456789ABCDEFGHIJKLMNOPQRSTUV1ggZdL";

Result<PluginConfig> plugin_config(const ChosenPlugin& chosen) {
  const auto& [section, plugin, sha256, directories] = chosen;
  if (plugin == "nothing") return PluginConfig{"no schema"};
  if (section == "rate_limit") return PluginConfig{kServerSchema};
  return PluginConfig{section == "llm" ? kServiceSchema : std::string_view(R"({"type": "object"})")};
}

Result<Settings> load_sets(std::vector<std::string> sets, std::optional<std::string> file = {}) {
  return load({std::move(file), std::move(sets), {}, plugin_config});
}

std::string message_of(const Result<Settings>& settings) { return settings ? "none" : settings.error().message; }

TEST(PrintConfiguration, HidesSecrets) {
  const auto settings = load_sets({"llm.plugin=openai", "llm.config.default_model=small", "llm.config.api_key=hush1",
                                   "llm.config.headers.x=hush2", "keys=[{id: a, plan: public, key: " + kKey + "}]"});
  ASSERT_TRUE(settings) << message_of(settings);
  EXPECT_NE(settings->llm.config.find("hush1"), std::string::npos);
  const std::string printed = print(*settings);
  EXPECT_EQ(printed.find("hush"), std::string::npos) << printed;
  EXPECT_EQ(printed.find(kKey), std::string::npos) << printed;
  EXPECT_NE(printed.find("api_key: \"***\""), std::string::npos) << printed;
}

TEST(PrintConfiguration, HidesEveryTextWithoutASchema) {
  const auto settings = load_sets({"codehost.plugin=none", "codehost.config={token: hush1, more: [{a: hush2}]}"});
  ASSERT_TRUE(settings) << message_of(settings);
  EXPECT_EQ(print(*settings).find("hush"), std::string::npos) << print(*settings);
}

TEST(PrintConfiguration, ShowsTheAddressOfAProxyWithoutItsCredentials) {
  const auto shown = [](const std::string& proxy) {
    const auto settings = load_sets({"upstream.proxy=" + proxy});
    const std::string printed = settings ? print(*settings) : message_of(settings);
    const std::size_t start = printed.find("  proxy: ");
    return printed.substr(start, printed.find('\n', start) - start);
  };
  EXPECT_EQ(shown("http://me:hush@proxy.example:3128"), "  proxy: \"http://***@proxy.example:3128\"");
  EXPECT_EQ(shown("http://hush@proxy.example"), "  proxy: \"http://***@proxy.example\"");
  EXPECT_EQ(shown("http://proxy.example:3128"), "  proxy: \"http://proxy.example:3128\"");
  EXPECT_EQ(shown("''"), "  proxy: \"\"");
}

TEST(PrintConfiguration, ShowsTheAddressOfAServerWithoutItsCredentials) {
  const auto shown = [](const std::string& url) {
    const auto settings = load_sets({"rate_limit.config.url=" + url});
    return settings ? print(*settings) : message_of(settings);
  };
  EXPECT_NE(shown("redis+sentinel://me:hu@sh@a:1,b:2/main").find("\"redis+sentinel://***@a:1,b:2/main\""),
            std::string::npos);
  EXPECT_NE(shown("redis://a:1").find("\"redis://a:1\""), std::string::npos);
  EXPECT_NE(shown("a:1").find("must be a URL such as"), std::string::npos);
  const std::string unescaped = shown("redis://:hu/sh@a:1");
  EXPECT_NE(unescaped.find("must be a URL such as"), std::string::npos) << unescaped;
  EXPECT_EQ(unescaped.find("sh@"), std::string::npos) << unescaped;
}

TEST(PrintConfiguration, RoundTrips) {
  const tests::TemporaryFolder folder;
  const auto settings =
      load_sets({"llm.plugin=openai", "llm.config.default_model=small", "llm.config.api_key=hush",
                 "llm.config.base_url='a: #\"$${X}\n\xC3\xA9'", "data_dir=/srv/on", "instance=\"no\"", "server.port=0",
                 "server.trusted_proxies=['::1', 10.0.0.0/8]", "admin.port=1",
                 "upstream.proxy=http://me:hush@proxy.example", "plans.gold={per_minute: 5}",
                 "keys=[{id: '1', plan: gold, sha256: " + std::string(64, 'a') + ", scopes: [llm]}]"});
  ASSERT_TRUE(settings) << message_of(settings);
  const std::string file = (folder.path() / "printed.yaml").string();
  std::ofstream(file) << print(*settings);
  const auto again = load_sets({}, file);
  ASSERT_TRUE(again) << message_of(again) << "\n" << print(*settings);
  EXPECT_EQ(again->shown, settings->shown);
}

TEST(PrintConfiguration, SchemaDescribesEveryKeyAndItsDefault) {
  const auto check = [](const auto& self, const nlohmann::json& schema, const std::string& path) -> void {
    const nlohmann::json properties = schema.value("properties", nlohmann::json::object());
    for (const auto& [key, member] : properties.items()) {
      const bool leaf = !member.contains("properties");
      const bool of_plan = path.starts_with("/plans/") && !leaf;
      EXPECT_TRUE(of_plan || member.contains("description") || path == "/plans") << path << "/" << key;
      self(self, member, path + "/" + key);
    }
  };
  const auto schema = nlohmann::json::parse(schema_text());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["additionalProperties"], false);
  check(check, schema, "");
}

TEST(Secrets, AreReadFromFiles) {
  const tests::TemporaryFolder folder;
  const std::string secret = (folder.path() / "secret").string();
  std::ofstream(secret) << "s3cret\r\n";
  const auto settings = load_sets({"llm.plugin=openai", "llm.config.default_model=small",
                                   "llm.config.api_key=file:" + secret, "llm.config.base_url=file:" + secret});
  ASSERT_TRUE(settings) << message_of(settings);
  const auto config = nlohmann::json::parse(settings->llm.config);
  EXPECT_EQ(config["api_key"], "s3cret");
  EXPECT_EQ(config["base_url"], "file:" + secret) << "only secrets are read from files";
}

TEST(Secrets, StopTheStartIfTheirFileIsMissing) {
  EXPECT_EQ(message_of(load_sets(
                {"llm.plugin=openai", "llm.config.default_model=m", "llm.config.api_key=file:/nowhere/secret"})),
            "--set llm.config.api_key: the file '/nowhere/secret' cannot be read: No such file or directory");
}

TEST(Secrets, AreNotReadFromADirectory) {
  const tests::TemporaryFolder folder;
  EXPECT_EQ(message_of(load_sets({"logging.secret=file:" + folder.path().string()})),
            "--set logging.secret: '" + folder.path().string() + "' is a directory; specify a file");
}

TEST(Secrets, AreHiddenInErrors) {
  const std::string digits = "01234567890123456789012345678901";
  EXPECT_EQ(message_of(load_sets({"rate_limit.secret=" + digits})),
            "--set rate_limit.secret: must be a string: put it in quotes");
  EXPECT_EQ(message_of(load_sets({"rate_limit.secret=-0.5e3"})),
            "--set rate_limit.secret: must be a string: put it in quotes");
  EXPECT_EQ(message_of(load_sets({"rate_limit.secret=short"})),
            "--set rate_limit.secret: must have at least 32 characters");
  EXPECT_EQ(message_of(load_sets({"upstream.proxy=https://user:" + digits + "@"})).find(digits), std::string::npos);
}

TEST(Secrets, AreHiddenForTheLogAndHaveAMinimumLength) {
  const auto settings = load_sets({"logging.secret=sixteen letters!"});
  ASSERT_TRUE(settings) << message_of(settings);
  EXPECT_EQ(settings->logging.secret, "sixteen letters!");
  EXPECT_EQ(config::print(*settings).find("sixteen"), std::string::npos);
  EXPECT_EQ(message_of(load_sets({"logging.secret=guess"})), "--set logging.secret: must have at least 16 characters");
}

TEST(ConfiguredKeys, AreStoredAsDigests) {
  const std::string hex = "3f0622524cdfd9d743ffe5efa41bd1fa10fa5180c36b6536ec13cefe04b8672b";
  const auto settings =
      load_sets({"keys=[{id: a, plan: public, key: " + kKey + "}, {id: b, name: Bea, plan: premium, sha256: " + hex +
                 ", expires: 2027-01-31T00:00:00Z, scopes: [read, llm]}]"});
  ASSERT_TRUE(settings) << message_of(settings);
  ASSERT_EQ(settings->keys.size(), 2u);
  EXPECT_EQ(settings->keys[0].digest, system::OpensslDigest().sha256(kKey));
  EXPECT_EQ(settings->keys[1].digest, settings->keys[0].digest);
  EXPECT_EQ(settings->keys[0].scopes, model::kDefaultScopes);
  EXPECT_EQ(model::names_of(settings->keys[1].scopes), "read,llm");
  EXPECT_EQ(settings->keys[1].name, "Bea");
  EXPECT_EQ(model::format_instant(settings->keys[1].expires.value()), "2027-01-31T00:00:00Z");
}

TEST(ConfiguredKeys, AreRejectedIfTheyContradictThemselves) {
  EXPECT_EQ(message_of(load_sets({"keys=[{id: a, plan: public}]"})), "--set keys.0: must have either sha256 or key");
  EXPECT_EQ(message_of(load_sets({"keys=[{id: a, plan: gold, key: " + kKey + "}]"})),
            "--set keys.0.plan: there is no plan 'gold'");
  const std::string key = "{id: a, plan: public, key: " + kKey + "}";
  EXPECT_EQ(message_of(load_sets({"keys=[" + key + ", " + key + "]"})),
            "--set keys.1.id: is also the id of another key");
  EXPECT_EQ(message_of(load_sets({"keys=[{id: a, plan: public, sha256: abc}]"})),
            "--set keys.0.sha256: must be 64 lower-case hexadecimal digits");
  EXPECT_EQ(message_of(load_sets({"keys=[{plan: public, key: " + kKey + "}]"})), "--set keys.0.id: is required");
}

TEST(ConfiguredKeys, AreRejectedWithoutBeingShownIfMistyped) {
  std::string mistyped = kKey;
  mistyped[5] = 'x';
  for (const std::string& key : {mistyped, std::string("kb_bad"), std::string("\"\"")})
    EXPECT_EQ(
        message_of(load_sets({"keys=[{id: a, plan: public, key: " + key + "}]"})),
        "--set keys.0.key: must be a key as printed by `kbase keys create`: kb_ and 38 letters and digits, of which "
        "the last 6 are a checksum");
}

TEST(PluginSchema, ReportsInvalidJson) {
  EXPECT_EQ(message_of(load_sets({"search.plugin=nothing"})),
            "--set search.plugin: the schema of plugin 'nothing' is not a JSON object");
}

TEST(SampleConfigurations, Load) {
  for (const char* name : {"development.yaml", "single-node.yaml"}) {
    const auto settings = load_sets({}, std::string(KBASE_SAMPLES) + "/" + name);
    EXPECT_TRUE(settings) << message_of(settings);
  }
}

}  // namespace
}  // namespace kbase::config
