// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/back_ends.hpp"
#include "tests/e2e/client.hpp"
#include "tests/e2e/corpus.hpp"
#include "tests/support/server_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {

enum class Quota {
  Lifted,  ///< no public limits, for tests of other features
  Builtin,
};

/// Folder with a configuration and a store; runs the program's subcommands on them.
class KnowledgeBase {
 public:
  /// Writes the configuration file. A memory store loads `content` at each start; it is empty for an empty base.
  explicit KnowledgeBase(BackEnds back_ends, std::filesystem::path content = {}, Quota quota = Quota::Lifted);

  /// Also removes the base's data from shared servers.
  ~KnowledgeBase();
  KnowledgeBase(const KnowledgeBase&) = delete;
  KnowledgeBase& operator=(const KnowledgeBase&) = delete;

  const std::filesystem::path& folder() const { return folder_.path(); }

  /// Writes a file into the folder and returns its path.
  std::filesystem::path write(const std::string& name, std::string_view text) const;

  /// Command line of a subcommand with this base's configuration; the program comes first.
  std::vector<std::string> command(std::vector<std::string> arguments) const;

  /// Runs a subcommand with this base's configuration and waits for it.
  Outcome run(std::vector<std::string> arguments, std::string_view input = {}) const;

  /// Starts a subcommand in the background; its messages go to the log.
  ChildProcess start(std::vector<std::string> arguments) const;

  /// Runs `import` and fails the test if its exit code is not 0.
  void import(const std::filesystem::path& source, std::vector<std::string> options = {}) const;

  /// All content, in the format of `export`; empty if there is no base yet.
  std::string exported() const;

  /// Id and text of a new key.
  struct Key {
    std::string id;
    std::string text;
  };
  Key create_key(const std::string& plan, std::vector<std::string> options = {}) const;

  /// Starts a server with additional arguments and environment variables.
  ServerProcess serve(std::vector<std::string> arguments = {}, std::vector<std::string> environment = {}) const;

  /// Returns what the servers have logged so far.
  std::string log() const;

 private:
  TemporaryFolder folder_;
  const BackEnds back_ends_;
  std::filesystem::path configuration_;
};

/// Base that serves `content` with a complete index.
class ServedBase {
 public:
  explicit ServedBase(BackEnds back_ends, const std::filesystem::path& content = fixture_corpus_file(),
                      Quota quota = Quota::Lifted, std::vector<std::string> arguments = {});

  KnowledgeBase& base() { return base_; }
  ServerProcess& server() { return *server_; }
  const ServerProcess& server() const { return *server_; }
  Client client(std::string key = {}) const { return Client(server_->base_url(), std::move(key)); }

  /// Stops the server gracefully and starts a new one. Fails the test if the exit code of the first is not 0.
  void restart();

 private:
  void start();

  KnowledgeBase base_;
  std::vector<std::string> arguments_;
  std::unique_ptr<ServerProcess> server_;
};

/// Base class of read-only tests. The tests of a suite share one server for each set of back ends.
class ReadingTest : public testing::TestWithParam<BackEnds> {
 protected:
  static void TearDownTestSuite() { served().clear(); }

  ReadingTest() : web(shared().client()) {}

  ServedBase& shared() const {
    std::unique_ptr<ServedBase>& base = served()[GetParam()];
    if (!base) base = std::make_unique<ServedBase>(GetParam());
    return *base;
  }

  Client web;

 private:
  static std::map<BackEnds, std::unique_ptr<ServedBase>>& served() {
    static std::map<BackEnds, std::unique_ptr<ServedBase>> bases;
    return bases;
  }
};

/// Base class of tests that change data. Each test has its own servers.
class ChangingTest : public testing::TestWithParam<BackEnds> {};

/// Path of the program: KBASE_TEST_PROGRAM, or the program built together with the tests.
std::string program();

/// Runs a subcommand that needs no store.
Outcome run_kbase(std::vector<std::string> arguments, std::vector<std::string> environment = {});

/// Formats a command as a shell command line.
std::string in_shell(const std::vector<std::string>& command);

/// Longest wait for what the manual promises within a second: 2 s, because a machine can be busy.
inline constexpr std::chrono::milliseconds kWithinASecond{2000};
/// Longest wait for what may lag by five seconds.
inline constexpr std::chrono::milliseconds kWithinFiveSeconds{8000};
/// Longest wait for the popularity order of an index that declares popularity_lag.
inline constexpr std::chrono::milliseconds kWithinThirtySeconds{40000};

}  // namespace kbase::tests
