// SPDX-License-Identifier: Apache-2.0
// Error messages and command lines, pasted as they are, and the article that explains each.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

struct Pasted {
  const char* message;
  const char* title;
  const char* content;  ///< of the article
};

constexpr std::array<Pasted, 16> kPasted{{
    {"FATAL:  role \"alice\" does not exist", "Missing roles",
     "A client that connects as an unknown user gets: FATAL: role \"NAME\" does not exist. Create the role with "
     "createuser."},
    {"git commit --amend --no-edit", "Changing the last commit",
     "Use --amend to replace the last commit. With --no-edit its message stays."},
    {"bash: ./run.sh: Permission denied", "Scripts that do not start",
     "If the shell says Permission denied for a script, make it executable with chmod +x."},
    {"error: failed to push some refs to 'git@example.org:team/site.git'", "Rejected pushes",
     "The message failed to push some refs means that the remote branch has commits that you lack. Pull first."},
    {"ModuleNotFoundError: No module named 'yaml'", "Python packages",
     "ModuleNotFoundError says that a module is not installed. No module named NAME: install it with pip."},
    {"tar -xzf backup-2024.tar.gz -C /var/lib", "Unpacking archives",
     "Call tar -xzf FILE to unpack a compressed archive, and -C for the folder it goes to."},
    {"curl: (60) SSL certificate problem: unable to get local issuer certificate", "Certificates of a proxy",
     "curl stops with SSL certificate problem: unable to get local issuer certificate if the authority is unknown."},
    {"E: Unable to locate package libfoo-dev", "Packages that apt does not find",
     "apt says Unable to locate package if the lists are old or the component is missing. Run apt update."},
    {"npm ERR! code ERESOLVE", "Conflicting dependencies",
     "npm stops with ERESOLVE if two packages need different versions of a third one."},
    {"java.lang.OutOfMemoryError: Java heap space", "Memory of the build",
     "A build that needs more memory ends with OutOfMemoryError: Java heap space. Raise -Xmx."},
    {"ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)", "Passwords of MySQL",
     "Error 1045, Access denied for user, means a wrong password or a host that is not allowed."},
    {"docker: Error response from daemon: port is already allocated.", "Ports of containers",
     "If the daemon says port is already allocated, another container uses it."},
    {"-18 is not a valid exit status", "Exit codes", "Status -18 stands for a child that was stopped by signal 18."},
    {"Segmentation fault (core dumped)", "Crashes",
     "A program that reads memory it does not own ends with Segmentation fault. The core that is dumped shows where."},
    {"kubectl get pods -n kube-system --field-selector=status.phase!=Running", "Listing pods",
     "kubectl get pods lists pods. -n selects the namespace, --field-selector those of a phase such as Running."},
    {"UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte", "Encodings of files",
     "UnicodeDecodeError says that a file is not UTF-8: the codec can't decode byte 0xff. Open it as UTF-16."},
}};

/// Articles that share words with the messages.
constexpr std::array<const char*, 8> kOthers{
    "Users and roles of the program, and what each role may do.",
    "The last commit of a batch is shown with its time and its author.",
    "Permission to read a folder is needed to import it.",
    "A package is a folder of modules with a description.",
    "The password of a user is set in the form of the account.",
    "Ports, hosts and addresses of the server are set in the configuration.",
    "Errors have a code, a message and a status. A response says what to do.",
    "Files are read as UTF-8 in the order of their names, from position 0 to the end.",
};

class PastedMessages : public ChangingTest {};

INSTANTIATE_TEST_SUITE_P(Storage, PastedMessages, every_storage(), name_of);

TEST_P(PastedMessages, FindTheirArticleFirst) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "articles.jsonl";
  {
    std::ofstream lines(file);
    const auto write = [&](const std::string& id, const char* title, const char* content) {
      lines << nlohmann::json{{"id", id}, {"title", title}, {"category", "help"}, {"content", content}}.dump() << '\n';
    };
    for (const Pasted& each : kPasted) write(each.title, each.title, each.content);
    for (std::size_t i = 0; i < kOthers.size(); ++i) write("other " + std::to_string(i), "Reference", kOthers[i]);
  }
  const ServedBase served(GetParam(), file);
  Client client = served.client();
  for (const Pasted& each : kPasted) {
    const auto found = expect_envelope(client.get("/search?q=" + encoded(each.message)), true).at("data");
    ASSERT_FALSE(found.empty()) << each.message;
    EXPECT_EQ(found[0].at("id"), each.title) << each.message;
  }
}

}  // namespace
}  // namespace kbase::tests
