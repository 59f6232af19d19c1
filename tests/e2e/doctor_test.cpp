// SPDX-License-Identifier: Apache-2.0
// `kbase doctor` reports each problem with a remedy and changes nothing.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>

#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/free_port.hpp"
#include "tests/support/scripted_http_server.hpp"
#include "tests/support/tls_identity.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// Findings of `kbase doctor --json`, by check.
struct Diagnosis {
  int exit_code = 0;
  std::map<std::string, json> checks;

  std::string state(const std::string& check) const {
    return checks.contains(check) ? checks.at(check)["state"] : "none";
  }
  std::string message(const std::string& check) const {
    return checks.contains(check) ? checks.at(check)["message"] : "";
  }
  std::string remedy(const std::string& check) const {
    return checks.contains(check) && checks.at(check)["remedy"].is_string() ? checks.at(check)["remedy"] : "";
  }
  std::vector<std::string> failed() const {
    std::vector<std::string> failed;
    for (const auto& [check, finding] : checks)
      if (finding["state"] == "failed") failed.push_back(check);
    return failed;
  }
};

Diagnosis diagnosis_of(const Outcome& outcome) {
  const json report = json::parse(outcome.output, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(report.is_object()) << outcome.output << outcome.errors;
  Diagnosis diagnosis{outcome.exit_code, {}};
  if (report.is_object())
    for (const json& finding : report["checks"]) diagnosis.checks[finding["check"]] = finding;
  return diagnosis;
}

/// Returns every file below a folder with its content.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    if (entry.is_regular_file()) files[entry.path().string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

class Doctor : public testing::Test {
 protected:
  Diagnosis run_doctor(std::vector<std::string> sets = {}) const {
    std::vector<std::string> arguments{"doctor", "--json", "--set", "server.max_connections=100"};
    for (std::string& set : sets) {
      arguments.emplace_back("--set");
      arguments.push_back(std::move(set));
    }
    return diagnosis_of(base_.run(arguments));
  }

  fs::path data() const { return base_.folder() / "data"; }

  /// Imports an item, then restores the index of the time before.
  void put_the_index_behind() const {
    const fs::path kept = base_.folder() / "kept";
    fs::copy(data() / "index", kept, fs::copy_options::recursive);
    base_.import(base_.write("more.jsonl",
                             R"({"id":"late","title":"Late","category":"notes","content":"It came late."})"
                             "\n"));
    fs::remove_all(data() / "index");
    fs::rename(kept, data() / "index");
  }

  KnowledgeBase base_{Storage::Sqlite, fixture_corpus_file()};
};

using Failed = std::vector<std::string>;

class DoctorWithBackEnds : public ChangingTest {};

INSTANTIATE_TEST_SUITE_P(Storage, DoctorWithBackEnds, every_storage(), name_of);

TEST_P(DoctorWithBackEnds, FindsNothingToFixWhileAServerRuns) {
  const KnowledgeBase base(GetParam(), fixture_corpus_file());
  const ServerProcess server = base.serve();
  const auto run_doctor = [&] {
    return diagnosis_of(base.run({"doctor", "--json", "--set", "server.max_connections=100"}));
  };
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return run_doctor().failed().empty(); }));
  const Diagnosis found = run_doctor();
  EXPECT_EQ(found.failed(), Failed());
  EXPECT_EQ(found.state("warnings"), "ok") << found.message("warnings");
}

TEST_F(Doctor, FindsNothingToFixInAHealthyBaseAndChangesNothing) {
  const auto before = files_in(data());
  const Diagnosis found = run_doctor();
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_EQ(found.failed(), Failed());
  for (const char* const check :
       {"configuration", "plugin.storage", "plugin.search", "plugin.rate_limit", "server", "data_dir.folder",
        "data_dir.permissions", "data_dir.space", "store", "keys", "index.complete", "index.follows", "rate_limit",
        "cache", "limits.files", "limits.threads"})
    EXPECT_EQ(found.state(check), "ok") << check;
  EXPECT_EQ(found.state("codehost"), "skipped");
  EXPECT_THAT(found.message("server"), HasSubstr("no server"));
  EXPECT_EQ(files_in(data()), before);
}

TEST_F(Doctor, PrintsReadableLines) {
  fs::permissions(data() / "content.db", fs::perms::others_write, fs::perm_options::add);
  const Outcome outcome = base_.run({"doctor", "--set", "server.max_connections=100"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("ok    configuration "));
  EXPECT_THAT(outcome.output, HasSubstr("FAIL  data_dir.permissions "));
  EXPECT_THAT(outcome.output, HasSubstr("remedy: chmod -R o-w " + data().string()));
  EXPECT_THAT(outcome.output, HasSubstr("1 failed, "));
  EXPECT_EQ(outcome.errors, "");
}

TEST_F(Doctor, DetectsARunningServerAndDoesNotDisturbIt) {
  ServerProcess server = base_.serve();
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return run_doctor().failed().empty(); }));
  const Diagnosis found = run_doctor();
  EXPECT_THAT(found.message("server"), HasSubstr("a server runs"));
  EXPECT_THAT(found.message("limits.files"), HasSubstr("the running server"));
  EXPECT_EQ(Client(server.base_url()).get("/categories").status, 200);
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(Doctor, DetectsThatAnotherProgramIsNotTheServer) {
  const int lock = ::open((data() / "serve.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  const Diagnosis found = run_doctor();
  EXPECT_THAT(found.message("server"), HasSubstr("no server"));
  EXPECT_THAT(found.message("limits.files"), HasSubstr("this process"));
  ::close(lock);
}

TEST_F(Doctor, NamesTheLineOfABrokenConfiguration) {
  const fs::path broken = base_.write("broken.yaml", "data_dir: /nowhere\nserver:\n  prot: 8080\n");
  const Outcome outcome = run_kbase({"doctor", "--json", "--config", broken.string()});
  const Diagnosis found = diagnosis_of(outcome);
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.message("configuration"), HasSubstr(broken.string() + ":3: server.prot"));
  EXPECT_THAT(found.remedy("configuration"), HasSubstr("kbase config schema"));
  EXPECT_EQ(found.state("rest"), "skipped");
}

TEST_F(Doctor, NamesAMissingPluginAndChecksTheRest) {
  const Diagnosis found = run_doctor({"search.plugin=nowhere"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_EQ(found.failed(), (Failed{"configuration", "plugin.search"}));
  EXPECT_THAT(found.message("plugin.search"), HasSubstr("kbase-nowhere.so"));
  EXPECT_THAT(found.remedy("plugin.search"), HasSubstr("kbase plugin list"));
  EXPECT_EQ(found.state("plugin.storage"), "ok");
  EXPECT_EQ(found.state("data_dir.permissions"), "ok");
}

TEST_F(Doctor, NamesASecretFileThatOthersCanReadOrWrite) {
  fs::permissions(data() / "state.db", fs::perms::others_write, fs::perm_options::add);
  Diagnosis found = run_doctor();
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_EQ(found.failed(), Failed{"data_dir.permissions"});
  EXPECT_THAT(found.message("data_dir.permissions"), HasSubstr((data() / "state.db").string()));
  EXPECT_THAT(found.remedy("data_dir.permissions"), HasSubstr("chmod"));

  fs::permissions(data() / "state.db", fs::perms::others_write, fs::perm_options::remove);
  std::ofstream(data() / "log.secret") << "0123456789abcdef0123456789abcdef";
  fs::permissions(data() / "log.secret", fs::perms::owner_read | fs::perms::others_read);
  found = run_doctor();
  EXPECT_EQ(found.failed(), Failed{"data_dir.permissions"});
  EXPECT_THAT(found.remedy("data_dir.permissions"), HasSubstr("chmod 600 "));
}

TEST_F(Doctor, NamesFilesOfRootExceptMountPoints) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can change the owner of a file";
  constexpr uid_t kOtherUser = 65534;
  for (const auto& entry : fs::recursive_directory_iterator(data()))
    ASSERT_EQ(::lchown(entry.path().c_str(), kOtherUser, kOtherUser), 0);
  ASSERT_EQ(::lchown(data().c_str(), kOtherUser, kOtherUser), 0);
  fs::create_directory(data() / "lost+found");
  EXPECT_EQ(run_doctor().state("data_dir.permissions"), "ok") << run_doctor().message("data_dir.permissions");

  fs::create_directory(data() / "index" / "lost+found");
  EXPECT_THAT(run_doctor().message("data_dir.permissions"), HasSubstr((data() / "index" / "lost+found").string()));
}

TEST_F(Doctor, CreatesNoMissingFolderOrStore) {
  const fs::path nowhere = base_.folder() / "nowhere";
  Diagnosis found = run_doctor({"data_dir=" + nowhere.string()});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_EQ(found.failed(), (Failed{"data_dir.folder", "store"}));
  EXPECT_THAT(found.message("store"), HasSubstr("content.db"));
  EXPECT_THAT(found.remedy("store"), HasSubstr("kbase import"));
  EXPECT_FALSE(fs::exists(nowhere));

  fs::create_directory(nowhere);
  std::ofstream(nowhere / "content.db").close();
  std::ofstream(nowhere / "state.db").close();
  found = run_doctor({"data_dir=" + nowhere.string()});
  EXPECT_EQ(found.failed(), Failed{"store"});
  EXPECT_EQ(fs::file_size(nowhere / "content.db"), 0u);
}

TEST_F(Doctor, NamesAnOutdatedOrMissingIndex) {
  put_the_index_behind();
  Diagnosis found = run_doctor();
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_EQ(found.failed(), Failed{"index.follows"});
  EXPECT_THAT(found.message("index.follows"), HasSubstr("changes of the store are not in the index"));
  EXPECT_THAT(found.remedy("index.follows"), HasSubstr("kbase index rebuild"));

  fs::remove_all(data() / "index");
  found = run_doctor();
  EXPECT_EQ(found.failed(), Failed{"index.complete"});
  EXPECT_THAT(found.remedy("index.complete"), HasSubstr("kbase index rebuild"));
  EXPECT_FALSE(fs::exists(data() / "index"));
}

TEST_F(Doctor, NamesKeysWhosePlanIsGone) {
  base_.write("plans.yaml", "");
  const Outcome made =
      base_.run({"keys", "create", "--name", "x", "--plan", "gold", "--set", "plans.gold={per_minute: 1, per_day: 1}"});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  const Diagnosis found = run_doctor();
  EXPECT_EQ(found.failed(), Failed{"keys"});
  EXPECT_THAT(found.message("keys"), HasSubstr("(gold)"));
  EXPECT_THAT(found.remedy("keys"), HasSubstr("kbase keys update"));
}

TEST_F(Doctor, NamesAServiceThatRejectsTheKeyAndNeverShowsIt) {
  ScriptedHttpServer service([](const ReceivedRequest&, Peer& peer) { peer.answer("401 Unauthorized", "{}"); });
  const Diagnosis found =
      run_doctor({"codehost.plugin=gitea", "codehost.config.base_url=" + service.url(""),
                  "codehost.config.token=hush-hush", "llm.plugin=openai", "llm.config.base_url=" + service.url(""),
                  "llm.config.api_key=hush-hush", "llm.config.default_model=small"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_EQ(found.failed(), (Failed{"codehost", "llm"}));
  EXPECT_THAT(found.message("codehost") + found.remedy("codehost"), HasSubstr("codehost.config.token"));
  EXPECT_THAT(found.message("llm") + found.remedy("llm"), HasSubstr("llm.config.api_key"));
  for (const auto& [check, finding] : found.checks) EXPECT_THAT(finding.dump(), Not(HasSubstr("hush-hush"))) << check;
}

TEST_F(Doctor, NamesTheSettingOfAnUnreachableBackEnd) {
  const std::string unused_address = "127.0.0.1:" + std::to_string(free_port());
  const Diagnosis found = run_doctor({"rate_limit.plugin=redis", "rate_limit.config.url=redis://" + unused_address,
                                      "rate_limit.secret=a-secret-that-several-servers-share", "cache.plugin=redis",
                                      "cache.config.url=redis://" + unused_address, "search.plugin=opensearch",
                                      "search.config.url=http://" + unused_address});
  EXPECT_EQ(found.failed(), (Failed{"cache", "index.complete", "rate_limit"}));
  EXPECT_THAT(found.remedy("rate_limit"), HasSubstr("see rate_limit.config.url and "));
  EXPECT_THAT(found.remedy("cache"), HasSubstr("see cache.config.url and "));
  for (const char* const check : {"rate_limit", "cache"}) EXPECT_THAT(found.remedy(check), Not(HasSubstr("upstream")));
  EXPECT_THAT(found.remedy("index.complete"), HasSubstr("see search.config.url, upstream.proxy"));
}

TEST_F(Doctor, NamesAServiceWithAnotherClock) {
  ScriptedHttpServer service([](const ReceivedRequest& request, Peer& peer) {
    peer.answer("200 OK\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT", request.method == "HEAD" ? "" : R"({"version":"1"})");
  });
  const Diagnosis found = run_doctor({"codehost.plugin=gitea", "codehost.config.base_url=" + service.url("")});
  EXPECT_THAT(found.failed(), testing::Contains("clock.codehost"));
  EXPECT_THAT(found.message("clock.codehost"), HasSubstr("behind this machine's clock"));
  EXPECT_EQ(found.state("certificate.codehost"), "skipped");
}

TEST_F(Doctor, ReportsWhenACertificateExpires) {
  const TlsIdentity identity("localhost");
  ScriptedHttpServer service([](const ReceivedRequest&, Peer& peer) { peer.answer("200 OK", ""); }, identity);
  const Diagnosis found = run_doctor({"codehost.plugin=gitea", "codehost.config.base_url=" + service.url(""),
                                      "upstream.ca_file=" + identity.certificate_in(base_.folder())});
  EXPECT_THAT(found.message("certificate.codehost"), HasSubstr("is valid until 20"));
}

TEST_F(Doctor, NamesALimitThatIsTooLow) {
  const std::string command = "ulimit -n 300 && exec '" + program() + "' doctor --json --config '" +
                              (base_.folder() / "kbase.yaml").string() + "' --set server.max_connections=100";
  const Diagnosis found =
      diagnosis_of(run_program({.command = {"/bin/sh", "-c", command}, .environment = {}, .error_log = {}}));
  EXPECT_EQ(found.failed(), Failed{"limits.files"});
  EXPECT_THAT(found.remedy("limits.files"), HasSubstr("LimitNOFILE=356"));
}

TEST_F(Doctor, RejectsWrongUsage) { EXPECT_EQ(run_kbase({"doctor", "--nonsense"}).exit_code, 2); }

TEST(DoctorOfAMemoryStore, ChecksNoMemoryStore) {
  const KnowledgeBase base(Storage::Memory, fixture_corpus_file());
  fs::create_directory(base.folder() / "data");
  const Diagnosis found = diagnosis_of(base.run({"doctor", "--json", "--set", "server.max_connections=100"}));
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_EQ(found.state("store"), "skipped");
  EXPECT_TRUE(fs::is_empty(base.folder() / "data"));
}

}  // namespace
}  // namespace kbase::tests
