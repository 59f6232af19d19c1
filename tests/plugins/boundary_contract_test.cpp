// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "plugins/conformance/suites.hpp"
#include "tests/plugins/boundary_fixture.hpp"
#include "tests/support/redis_cluster.hpp"
#include "tests/support/redis_sentinel.hpp"

/// Runs the contract suites through the C boundary: the shared objects that the server loads, behind its proxies.
namespace kbase::tests {
namespace {

std::string no_settings(const std::filesystem::path&) { return "{}"; }

/// Few enough clients that a check can fill the rate limiter.
std::string rate_limiter_settings(const std::filesystem::path&) { return R"({"max_clients":25000})"; }

std::string sqlite_settings(const std::filesystem::path& folder) {
  return R"({"path":")" + (folder / "content.db").string() + R"(","state_path":")" + (folder / "state.db").string() +
         R"(","readers":4})";
}

std::string index_settings(const std::filesystem::path& folder) {
  return R"({"path":")" + (folder / "search").string() + R"("})";
}

/// All checks share these servers; the keys are named after the folder. The windows follow the check's clock.
template <class Servers> std::string redis_settings(const std::filesystem::path& folder) {
  static const Servers servers;
  return R"({"url":")" + servers.url() + R"(","prefix":")" + folder.string() + R"(:","clock":"host"})";
}

std::string redis_cache_settings(const std::filesystem::path& folder) {
  static const RedisServer server({{"--maxmemory", "128mb", "--maxmemory-policy", "volatile-lru"}, {}, 0});
  return R"({"url":")" + server.url() + R"(","prefix":")" + folder.string() + R"(:"})";
}

const bool kMemoryRegistered =
    register_plugin_contract<ports::ItemStore>(
        "MemoryPluginItemStore", conformance::item_store_suite(),
        {KBASE_MEMORY_PLUGIN, plugin_host::open_port<ports::ItemStore>, no_settings, false}) &&
    register_plugin_contract<ports::ActivityStore>(
        "MemoryPluginActivityStore", conformance::activity_store_suite(),
        {KBASE_MEMORY_PLUGIN, plugin_host::open_port<ports::ActivityStore>, no_settings, false}) &&
    register_plugin_contract<ports::ApiKeyStore>(
        "MemoryPluginApiKeyStore", conformance::api_key_store_suite(),
        {KBASE_MEMORY_PLUGIN, plugin_host::open_port<ports::ApiKeyStore>, no_settings, false}) &&
    register_plugin_contract<ports::AccountStore>(
        "MemoryPluginAccountStore", conformance::account_store_suite(),
        {KBASE_MEMORY_PLUGIN, plugin_host::open_port<ports::AccountStore>, no_settings, false}) &&
    register_plugin_contract<ports::InsightStore>(
        "MemoryPluginInsightStore", conformance::insight_store_suite(),
        {KBASE_MEMORY_PLUGIN, plugin_host::open_port<ports::InsightStore>, no_settings, false}) &&
    register_plugin_contract<ports::RateLimitStore>(
        "MemoryPluginRateLimitStore", conformance::rate_limit_store_suite(),
        {KBASE_MEMORY_PLUGIN, plugin_host::open_port<ports::RateLimitStore>, rate_limiter_settings, false}) &&
    register_plugin_contract<ports::Cache>(
        "MemoryPluginCache", conformance::cache_suite(),
        {KBASE_MEMORY_PLUGIN, plugin_host::open_port<ports::Cache>, no_settings, false});

const bool kSqliteRegistered =
    register_plugin_contract<ports::ItemStore>(
        "SqlitePluginItemStore", conformance::item_store_suite(),
        {KBASE_SQLITE_PLUGIN, plugin_host::open_port<ports::ItemStore>, sqlite_settings, true}) &&
    register_plugin_contract<ports::ActivityStore>(
        "SqlitePluginActivityStore", conformance::activity_store_suite(),
        {KBASE_SQLITE_PLUGIN, plugin_host::open_port<ports::ActivityStore>, sqlite_settings, true}) &&
    register_plugin_contract<ports::ApiKeyStore>(
        "SqlitePluginApiKeyStore", conformance::api_key_store_suite(),
        {KBASE_SQLITE_PLUGIN, plugin_host::open_port<ports::ApiKeyStore>, sqlite_settings, true}) &&
    register_plugin_contract<ports::AccountStore>(
        "SqlitePluginAccountStore", conformance::account_store_suite(),
        {KBASE_SQLITE_PLUGIN, plugin_host::open_port<ports::AccountStore>, sqlite_settings, true}) &&
    register_plugin_contract<ports::InsightStore>(
        "SqlitePluginInsightStore", conformance::insight_store_suite(),
        {KBASE_SQLITE_PLUGIN, plugin_host::open_port<ports::InsightStore>, sqlite_settings, true});

const bool kNativeRegistered = register_plugin_contract<ports::SearchIndex>(
    "NativePluginSearchIndex", conformance::search_index_suite(),
    {KBASE_NATIVE_PLUGIN, plugin_host::open_port<ports::SearchIndex>, index_settings, true});

std::string code_host_settings(const std::filesystem::path&) {
  return R"({"base_url":"https://code.example","token":"s3cret"})";
}

bool register_code_host(const char* name, const char* file) {
  return register_plugin_contract<ports::CodeHost>(
      name, conformance::code_host_suite(), {file, plugin_host::open_port<ports::CodeHost>, code_host_settings, false});
}

const bool kCodeHostsRegistered = register_code_host("GiteaPlugin", KBASE_GITEA_PLUGIN) &&
                                  register_code_host("GithubPlugin", KBASE_GITHUB_PLUGIN) &&
                                  register_code_host("GitlabPlugin", KBASE_GITLAB_PLUGIN);

std::string language_model_settings(const std::filesystem::path&) {
  return R"({"base_url":"https://models.example/v1","api_key":"s3cret"})";
}

bool register_language_model(const char* name, const char* file) {
  return register_plugin_contract<ports::LanguageModel>(
      name, conformance::language_model_suite(),
      {file, plugin_host::open_port<ports::LanguageModel>, language_model_settings, false});
}

const bool kLanguageModelsRegistered = register_language_model("AnthropicPlugin", KBASE_ANTHROPIC_PLUGIN) &&
                                       register_language_model("OllamaPlugin", KBASE_OLLAMA_PLUGIN) &&
                                       register_language_model("OpenAiPlugin", KBASE_OPENAI_PLUGIN);

template <class Servers> bool register_redis(const char* name) {
  return register_plugin_contract<ports::RateLimitStore>(
      name, conformance::rate_limit_store_suite(),
      {KBASE_REDIS_PLUGIN, plugin_host::open_port<ports::RateLimitStore>, redis_settings<Servers>, true},
      has_redis() ? nullptr : kNoRedis);
}

const bool kRedisRegistered =
    register_redis<RedisServer>("RedisPluginSingleServer") &&
    register_redis<RedisWithSentinels>("RedisPluginWithSentinels") &&
    register_redis<RedisCluster>("RedisPluginCluster") &&
    register_plugin_contract<ports::Cache>(
        "RedisPluginCache", conformance::cache_suite(),
        {KBASE_REDIS_PLUGIN, plugin_host::open_port<ports::Cache>, redis_cache_settings, true},
        has_redis() ? nullptr : kNoRedis);

}  // namespace
}  // namespace kbase::tests
