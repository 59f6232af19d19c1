// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

std::string plugin_file(const std::string& name) {
  return std::string(KBASE_MISBEHAVING_PLUGINS) + "/kbase-" + name + ".so";
}

Outcome check(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), KBASE_CHECKER);
  return run_program({std::move(arguments), {}, {}}, {}, std::chrono::seconds(120));
}

/// Plugin that loads but violates the contract, the check that must find it, and the check's message.
struct Misbehaviour {
  std::string plugin;
  std::string check;
  std::string seen;  ///< substring of the message
  std::string about;
};

void PrintTo(const Misbehaviour& misbehaviour, std::ostream* out) { *out << misbehaviour.plugin; }

class AMisbehavingPlugin : public testing::TestWithParam<Misbehaviour> {};

TEST_P(AMisbehavingPlugin, FailsTheCheckOfItsRule) {
  const Misbehaviour& wanted = GetParam();
  const Outcome outcome = check({plugin_file(wanted.plugin), "--json", "--only", wanted.check});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  const Json report = Json::parse(outcome.output);
  ASSERT_EQ(report["checks"].size(), 1U) << outcome.output;
  const Json& result = report["checks"][0];
  EXPECT_EQ(result["verdict"], "failed");
  ASSERT_FALSE(result["shortcomings"].empty()) << outcome.output;
  EXPECT_NE(result["shortcomings"][0]["seen"].get<std::string>().find(wanted.seen), std::string::npos)
      << outcome.output;
  EXPECT_EQ(result["about"], wanted.about);
}

const Misbehaviour kMisbehaviours[] = {
    {"changes_environment", "LoadingHasNoSideEffects",
     "the environment variable EXAMPLE_CACHE is \"1\", it was not set", "kb_plugin_entry"},
    {"changes_locale", "LeavesTheProcessUnchanged", "after create the locale is C.UTF-8, it was C",
     "rule 7 of the headers"},
    {"changes_signals", "LeavesTheProcessUnchanged",
     "after create what the process does on SIGPIPE is to ignore it, it was the default", "rule 7 of the headers"},
    {"changes_umask", "LeavesTheProcessUnchanged", "after create the umask is 0077, it was 0", "rule 7 of the headers"},
    {"crashes_at_exit", "LetsTheProcessEnd", "the end of the process was killed by SIGSEGV", "rule 7 of the headers"},
    {"crashes_on_destroy", "ADefaultInstanceWorks", "destroy was killed by SIGSEGV", "create of every table"},
    {"ends_the_process", "ADefaultInstanceWorks", "put ended the process with exit code 0", "rule 7 of the headers"},
    {"ends_the_thread", "ADefaultInstanceWorks", "was killed by SIGABRT", "create of every table"},
    {"exports_more", "ExportsOneSymbol", "it also exports another_function", "kb_plugin_entry"},
    {"fails_in_silence", "AnUnusablePathIsExplained", "the plugin accepted a path below a regular file as path",
     "kb_host.explain"},
    {"hangs", "ADefaultInstanceWorks", "get did not end within 10 s", "create of every table"},
    {"ignores_stop", "StopsWhenASinkSaysSo", "get called it again", "KB_STOPPED"},
    {"ignores_time", "APassedDeadlineEndsACall", "get took 2", "kb_call.deadline_ns"},
    {"ignores_time", "ACancelledCallEnds", "get took 2", "kb_host.cancelled"},
    {"keeps_views", "CopiesWhatItKeeps", "14 other bytes", "rule 4 of the headers"},
    {"leaks_file", "DestroyReleasesEverything", "open after them", "destroy of every table"},
    {"leaks_memory", "DestroyReleasesEverything", "bytes are lost with each instance", "destroy of every table"},
    {"leaks_thread", "DestroyReleasesEverything", " running after them", "destroy of every table"},
    {"calls_sink_late", "CallsASinkOnlyDuringItsCall", "get called its sink later", "rule 4 of the headers"},
    {"lies_about_counts", "GrantsExactlyTheLimit", "", "kb_rate_limit_store_v1"},
    {"needs_a_newer_host", "ADefaultInstanceWorks", "create was killed by SIGSEGV", "create of every table"},
    {"odd_schema", "TheSchemaIsValid", "setting size has 'multipleOf', which no server supports",
     "config_schema of every table"},
    {"one_instance", "InstancesAreIndependent", "was killed by SIG", "create of every table"},
    {"prints", "PrintsNothing", "14 bytes went to standard output or error", "rule 7 of the headers"},
    {"reads_too_far", "ReadsNoFurtherThanTheEnd", "put was killed by SIGSEGV", "rule 6 of the headers"},
    {"takes_any_port", "UnknownPortsAreNotOffered", "it returned a table for \"kbase.cache/10\"", "kb_plugin.get_port"},
    {"throws", "ADefaultInstanceWorks", "put threw: no memory", "create of every table"},
    {"wants_exact_structs", "AcceptsStructsOfANewerServer", "", "rule 2 of the headers"},
    {"writes_past_structs", "ReadsNoFurtherThanTheEnd", "take was killed by SIGSEGV", "rule 6 of the headers"},
};

INSTANTIATE_TEST_SUITE_P(Each, AMisbehavingPlugin, testing::ValuesIn(kMisbehaviours),
                         [](const auto& instance) { return instance.param.plugin + "_" + instance.param.check; });

TEST(CheckProgram, PassesACorrectPlugin) {
  const Outcome outcome = check({plugin_file("honest")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find(" 0 failed, 0 warned, "), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find('\x1b'), std::string::npos) << "colour is for terminals";
}

TEST(CheckProgram, SkipsTheOtherChecksWhenTheGateFails) {
  const Outcome outcome = check({plugin_file("throws"), "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  const Json report = Json::parse(outcome.output);
  EXPECT_EQ(report["summary"]["failed"], 1) << outcome.output;
  EXPECT_EQ(report["checks"].back()["skipped"], "not run, because this check failed: a default instance works");
}

TEST(CheckProgram, FailsAFileThatIsNotAPlugin) {
  const Outcome outcome = check({KBASE_CHECKER});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find("no server would load it"), std::string::npos) << outcome.output;
}

TEST(CheckProgram, RefusesWrongUsage) {
  EXPECT_EQ(check({}).exit_code, 2);
  EXPECT_EQ(check({"/no/such/file.so"}).exit_code, 2);
  EXPECT_EQ(check({plugin_file("honest"), "--json", "--junit"}).exit_code, 2);
  EXPECT_EQ(check({plugin_file("honest"), "--config", "/no/such/file.yaml"}).exit_code, 2);
  EXPECT_EQ(check({plugin_file("honest"), "--only", "NoSuchCheck"}).errors,
            "kbase plugin check: --only: no check has this name\n");
  EXPECT_EQ(check({plugin_file("honest"), "--port", "kbase.item_store/1"}).errors,
            "kbase plugin check: --port: the plugin has no port kbase.item_store/1; it offers kbase.cache/1\n");
}

TEST(CheckProgram, RefusesAnInvalidConfiguration) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "settings.yaml").string();
  std::ofstream(file) << "path: ${SCRATCH}/store\nsize: 7\n";
  const Outcome outcome = check({plugin_file("fails_in_silence"), "--config", file});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.errors.find("settings.yaml:2: size: unknown key"), std::string::npos) << outcome.errors;
}

TEST(CheckProgram, SkipsChecksByPattern) {
  const Outcome outcome =
      check({plugin_file("prints"), "--json", "--only", "plugin.*", "--only", "Prints*", "--skip", "kbase.cache/1.*"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

TEST(CheckProgram, IsRunByThePluginCommand) {
  const Outcome outcome =
      run_program({{KBASE_PROGRAM, "plugin", "check", plugin_file("prints"), "--only", "PrintsNothing"}, {}, {}});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  EXPECT_NE(outcome.output.find("FAIL  prints nothing"), std::string::npos) << outcome.output;
  EXPECT_EQ(run_program({{KBASE_PROGRAM, "plugin", "check", "--help"}, {}, {}}).exit_code, 0);
}

}  // namespace
}  // namespace kbase::tests
