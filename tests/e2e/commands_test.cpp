// SPDX-License-Identifier: Apache-2.0
// What all commands have in common. Manual: docs/operations/command-line.md.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

class Commands : public testing::Test {
 protected:
  const KnowledgeBase base_{BackEnds{Storage::Sqlite}};
};

TEST_F(Commands, ThatReadMakeNoBase) {
  const std::string nowhere = (base_.folder() / "mistyped").string();
  const std::string file = (base_.folder() / "kept").string();
  const std::vector<std::vector<std::string>> commands = {{"export"},
                                                          {"delete", "x"},
                                                          {"backup", file},
                                                          {"keys", "list"},
                                                          {"keys", "usage"},
                                                          {"index", "status"},
                                                          {"index", "verify"},
                                                          {"synonyms", "list"},
                                                          {"keys", "revoke", "key_x"},
                                                          {"keys", "rotate", "key_x"}};
  for (std::vector<std::string> command : commands) {
    const std::string name = command.front();
    command.insert(command.end(),
                   {"--set", "data_dir=" + nowhere, "--set", "storage.config.path=" + nowhere + "/a.db"});
    const Outcome outcome = base_.run(command);
    EXPECT_EQ(outcome.exit_code, 1) << name;
    EXPECT_NE(outcome.errors.find("there is no knowledge base"), std::string::npos) << name << ": " << outcome.errors;
    EXPECT_FALSE(std::filesystem::exists(nowhere)) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Commands, DoNotBackUpAnEmptyBase) {
  base_.import(base_.write("one.jsonl", R"({"id": "a", "title": "A", "category": "c", "content": "text"})"));
  ASSERT_EQ(base_.run({"delete", "a"}).exit_code, 0);
  const std::string file = (base_.folder() / "kept").string();
  const Outcome refused = base_.run({"backup", file});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.errors.find("--allow-empty"), std::string::npos) << refused.errors;
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(base_.run({"backup", file, "--allow-empty"}).exit_code, 0);
}

TEST_F(Commands, RevokeAKeyOnce) {
  const auto key = base_.create_key("developer");
  EXPECT_NE(base_.run({"keys", "revoke", key.id}).output.find("revoked " + key.id), std::string::npos);
  const Outcome again = base_.run({"keys", "revoke", key.id});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.output, key.id + " was revoked before\n");
}

TEST_F(Commands, AreCompletedByBash) {
  const Outcome script =
      run_program({.command = {program(), "completion", "bash"}, .environment = {}, .error_log = {}});
  ASSERT_EQ(script.exit_code, 0) << script.errors;
  const auto completed = [&](const std::string& words, int at) {
    const std::string tried = script.output + "COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                              "; _kbase; echo \"${COMPREPLY[@]}\"";
    return run_program({.command = {"/bin/bash", "-c", tried}, .environment = {}, .error_log = {}}).output;
  };
  EXPECT_EQ(completed("kbase imp", 1), "import\n");
  EXPECT_EQ(completed("kbase keys re", 2), "revoke\n");
  EXPECT_EQ(completed("kbase keys create --pl", 3), "--plan\n");
  EXPECT_EQ(completed("kbase serve --po", 2), "--port\n");
}

TEST_F(Commands, ServeNothingAtAPortInUse) {
  const ServerProcess server = base_.serve({"--port", "0"});
  const std::string port = server.base_url().substr(server.base_url().rfind(':') + 1);
  const std::string another = (base_.folder() / "another").string();
  const Outcome second = base_.run({"serve", "--port", port.substr(0, port.find('/')), "--set", "data_dir=" + another});
  EXPECT_NE(second.exit_code, 0);
  EXPECT_NE(second.errors.find("Address already in use"), std::string::npos) << second.errors;
  EXPECT_FALSE(std::filesystem::exists(another)) << "the port is reserved before the data is opened";
}

TEST_F(Commands, ServeAtTheGivenPort) {
  const ServerProcess server = base_.serve({"--port", "0"});
  EXPECT_EQ(Client(server.base_url()).get("/health").status, 200);
}

}  // namespace
}  // namespace kbase::tests
