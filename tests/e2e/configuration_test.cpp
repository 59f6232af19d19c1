// SPDX-License-Identifier: Apache-2.0
// Command line and configuration. Manual: docs/operations/command-line.md, configuration.md and secrets.md.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

TEST(CommandLine, PrintsItsVersion) {
  for (const char* word : {"version", "--version"}) {
    const Outcome outcome = run_kbase({word});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.output, "kbase 1.1.0\n");
  }
}

TEST(CommandLine, PrintsHelpForEveryCommand) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{},
                                                  {"serve"},
                                                  {"import"},
                                                  {"export"},
                                                  {"delete"},
                                                  {"keys"},
                                                  {"keys", "create"},
                                                  {"keys", "list"},
                                                  {"keys", "revoke"},
                                                  {"keys", "rotate"},
                                                  {"keys", "update"},
                                                  {"keys", "usage"},
                                                  {"index"},
                                                  {"index", "status"},
                                                  {"index", "rebuild"},
                                                  {"config"},
                                                  {"config", "check"},
                                                  {"config", "print"},
                                                  {"config", "schema"},
                                                  {"version"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--help");
    const Outcome outcome = run_kbase(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output, "") << (command.empty() ? "kbase" : command.back());
  }
}

TEST(CommandLine, PrintsHelpIfHelpIsTheFirstWord) {
  EXPECT_EQ(run_kbase({"help"}).output, run_kbase({"--help"}).output);
  const Outcome outcome = run_kbase({"help", "keys", "create"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, run_kbase({"keys", "create", "--help"}).output);
}

TEST(CommandLine, RejectsWrongUsageWithExitCodeTwo) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"dance"},
                                                    {"serve", "--dance"},
                                                    {"serve", "--set"},
                                                    {"serve", "--set", "novalue"},
                                                    {"export", "surplus"},
                                                    {"delete"},
                                                    {"index"},
                                                    {"config"},
                                                    {"config", "paint"}}) {
    const Outcome outcome = run_kbase(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << (arguments.empty() ? "nothing" : arguments.back());
    EXPECT_TRUE(outcome.errors.starts_with("kbase: ")) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
  }
}

TEST(CommandLine, NamesExcessArgumentsInTheirOrder) {
  EXPECT_TRUE(run_kbase({"serve", "--prot", "80"}).errors.starts_with("kbase: unexpected argument: --prot 80\n"));
}

TEST(CommandLine, NamesAnUnknownCommand) {
  EXPECT_EQ(run_kbase({"dance", "--help"}).exit_code, 2);
  EXPECT_TRUE(run_kbase({"dance"}).errors.starts_with("kbase: there is no command 'dance'\n"));
  EXPECT_TRUE(
      run_kbase({"config", "dance", "--json"}).errors.starts_with("kbase: there is no command 'config dance'\n"));
}

TEST(CommandLine, SuggestsASimilarCommand) {
  EXPECT_TRUE(run_kbase({"serv"}).errors.starts_with("kbase: there is no command 'serv'; did you mean 'serve'?\n"));
  EXPECT_TRUE(run_kbase({"keys", "lits"})
                  .errors.starts_with("kbase: there is no command 'keys lits'; did you mean 'keys list'?\n"));
}

struct BadConfiguration {
  const char* name;
  const char* text;
  int line;
  const char* key;
};

void PrintTo(const BadConfiguration& bad, std::ostream* out) { *out << bad.name; }

class BadConfigurationTest : public testing::TestWithParam<BadConfiguration> {};

TEST_P(BadConfigurationTest, IsRejectedInOneLineThatNamesFileLineAndKey) {
  const KnowledgeBase base(Storage::Sqlite);
  const std::filesystem::path file = base.write("bad.yaml", GetParam().text);
  const std::string place = file.string() + ":" + std::to_string(GetParam().line);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"serve"}, {"config", "check"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--config", file.string()});
    const Outcome outcome = run_kbase(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.errors;
    EXPECT_NE(outcome.errors.find(place), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find(GetParam().key), std::string::npos) << outcome.errors;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Configuration, BadConfigurationTest,
    testing::Values(
        BadConfiguration{"UnknownSection", "server:\n  port: 0\nservre:\n  port: 1\n", 3, "servre"},
        BadConfiguration{"UnknownKey", "server:\n  prot: 0\n", 2, "prot"},
        BadConfiguration{"WrongType", "server:\n  port: often\n", 2, "port"},
        BadConfiguration{"AListForANumber", "server:\n  port: [1]\n", 2, "port"},
        BadConfiguration{"OutOfBounds", "server:\n  port: 70000\n", 2, "port"},
        BadConfiguration{"BadDuration", "server:\n  idle_timeout: long\n", 2, "idle_timeout"},
        BadConfiguration{"BadSize", "server:\n  max_body_bytes: 1XB\n", 2, "max_body_bytes"},
        BadConfiguration{"NegativeLimit", "plans:\n  public: { per_minute: -1 }\n", 2, "per_minute"},
        BadConfiguration{"UnknownPlugin", "storage:\n  plugin: papyrus\n", 2, "papyrus"},
        BadConfiguration{"KeyGivenTwice", "server:\n  port: 1\n  port: 2\n", 3, "port"},
        BadConfiguration{"Alias", "server: &a\n  port: 0\nadmin: *a\n", 3, "admin"},
        BadConfiguration{"UnsetVariable", "server:\n  address: ${KBASE_NO_SUCH_VARIABLE}\n", 2,
                         "KBASE_NO_SUCH_VARIABLE"},
        BadConfiguration{"NoYaml", "server:\n  port: [1\n", 3, ""},
        BadConfiguration{"MistypedKey", "keys:\n  - id: a\n    plan: premium\n    key: kb_bad\n", 4, "keys.0.key"},
        BadConfiguration{"OnePortForTwoListeners", "server: { port: 9464 }\nadmin:\n  port: 9464\n", 3, "admin.port"},
        BadConfiguration{"NoPages", "explorer:\n  path: /nope\n", 2, "explorer.path"},
        BadConfiguration{"NoAuthorities", "upstream:\n  ca_file: /nope\n", 2, "upstream.ca_file"},
        BadConfiguration{"OriginWithAPath",
                         "rate_limit:\n  origins:\n    - { origin: https://a.example/, plan: public }\n", 3,
                         "rate_limit.origins.0.origin"},
        BadConfiguration{"OriginOfAll", "rate_limit:\n  origins:\n    - { origin: '*', plan: public }\n", 3,
                         "rate_limit.origins.0.origin"},
        BadConfiguration{"OriginWithoutAPlan", "rate_limit:\n  origins:\n    - origin: https://a.example\n", 3, "plan"},
        BadConfiguration{"OriginOfAnUnknownPlan",
                         "rate_limit:\n  origins:\n    - origin: https://a.example\n      plan: gold\n", 4,
                         "rate_limit.origins.0.plan"},
        BadConfiguration{"SharedRateLimiterWithoutASecret",
                         "rate_limit:\n  plugin: redis\n  config: { url: 'redis://127.0.0.1:1' }\n", 1,
                         "rate_limit.secret"},
        BadConfiguration{"ShortSecret", "rate_limit:\n  secret: hush\n", 2, "rate_limit.secret"},
        BadConfiguration{"LogLevel", "logging:\n  level: loud\n", 2, "level"}),
    [](const testing::TestParamInfo<BadConfiguration>& bad) { return bad.param.name; });

TEST(Configuration, RejectsAnUnreadableFile) {
  const Outcome missing = run_kbase({"serve", "--config", "/no/such/kbase.yaml"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.errors.find("/no/such/kbase.yaml"), std::string::npos) << missing.errors;
  const Outcome folder = run_kbase({"config", "check", "--config", "/tmp"});
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_EQ(folder.errors, "kbase: /tmp: is a directory; specify a YAML file\n");
}

TEST(Configuration, NamesAMissingPluginFolder) {
  const std::vector<std::string> check{"config", "check", "--set", "plugins.directories=[/nope]"};
  EXPECT_EQ(run_kbase(check).exit_code, 0) << "if every plugin is found elsewhere";
  std::vector<std::string> unknown = check;
  unknown.insert(unknown.end(), {"--set", "storage.plugin=papyrus"});
  const Outcome outcome = run_kbase(unknown);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(outcome.errors.ends_with("; there is no folder /nope\n")) << outcome.errors;
}

TEST(Configuration, ChecksServerFilesOnlyForTheServer) {
  const KnowledgeBase base(Storage::Sqlite);
  base.create_key("developer");
  EXPECT_EQ(base.run({"keys", "list", "--set", "explorer.path=/nope"}).exit_code, 0);
}

TEST(Configuration, RejectsAnInvalidOverride) {
  for (const char* setting : {"server.prot=1", "server.port=often", "nothing.at.all=1", "server=1"}) {
    const Outcome outcome = run_kbase({"config", "check", "--set", setting});
    EXPECT_EQ(outcome.exit_code, 2) << setting;
    EXPECT_NE(outcome.errors, "") << setting;
  }
}

TEST(Configuration, IsCheckedAndPrinted) {
  const KnowledgeBase base(Storage::Sqlite);
  EXPECT_EQ(base.run({"config", "check"}).exit_code, 0);
  const Outcome printed = base.run({"config", "print", "--set", "plans.developer.per_minute=61"});
  EXPECT_EQ(printed.exit_code, 0) << printed.errors;
  EXPECT_NE(printed.output.find("per_minute: 61"), std::string::npos) << printed.output;
  EXPECT_NE(printed.output.find("base_path: /api/v1"), std::string::npos) << printed.output;
  const auto again = base.write("printed.yaml", printed.output);
  const Outcome second = run_kbase({"config", "print", "--config", again.string()});
  EXPECT_EQ(second.output, printed.output) << second.errors;
}

TEST(Configuration, ReadsVariablesAndFiles) {
  const KnowledgeBase base(Storage::Sqlite);
  const auto file =
      base.write("env.yaml", "instance: ${KBASE_TEST_NAME}\nserver:\n  address: ${KBASE_NONE:-127.0.0.2}\n");
  const Outcome outcome =
      run_kbase({"config", "print", "--config", file.string()}, {"KBASE_TEST_NAME=from-the-environment"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("from-the-environment"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("127.0.0.2"), std::string::npos) << outcome.output;
}

TEST(Configuration, HidesSecretsWhenPrinted) {
  const KnowledgeBase base(Storage::Sqlite);
  const auto secret = base.write("token", "hush-hush");
  const Outcome outcome = base.run({"config", "print", "--set", "codehost.config.token=file:" + secret.string()});
  EXPECT_EQ(outcome.output.find("hush-hush"), std::string::npos) << outcome.output;
}

TEST(Configuration, AcceptsOneOfSeveralServers) {
  const KnowledgeBase base(Storage::Memory);
  for (const char* const name : {"postgres", "redis", "sentinel", "rate-limit", "log"})
    base.write(name, std::string(32, 's') + "\n");
  const Outcome outcome = run_kbase({"config", "check", "--config", KBASE_SAMPLES "/cluster.yaml"},
                                    {"KBASE_ADDRESS=10.0.0.21", "KBASE_SECRETS=" + base.folder().string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
}

TEST(Configuration, HasAJsonSchemaOfEverySection) {
  const Outcome outcome = run_kbase({"config", "schema"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  const json schema = json::parse(outcome.output, nullptr, false);
  ASSERT_TRUE(schema.is_object()) << outcome.output;
  for (const char* section : {"server", "admin", "plugins", "data_dir", "storage", "search", "rate_limit", "cache",
                              "codehost", "llm", "keys", "instance", "plans", "logging"})
    EXPECT_TRUE(schema["properties"].contains(section)) << section;
  EXPECT_EQ(schema["additionalProperties"], false);
}

}  // namespace
}  // namespace kbase::tests
